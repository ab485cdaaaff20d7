package io.github.slotbloom.cli.command;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.github.slotbloom.VerifyOptions;
import io.github.slotbloom.cli.ExitCode;
import io.github.slotbloom.cli.UsageException;
import io.github.slotbloom.cli.Version;
import io.github.slotbloom.cli.connect.Session;
import io.github.slotbloom.cli.line.WholeFile;
import io.github.slotbloom.cli.page.Evidence;
import io.github.slotbloom.cli.page.ReportPage;
import io.github.slotbloom.cli.terminal.Output;
import io.github.slotbloom.cli.terminal.StatusLine;
import io.github.slotbloom.report.VerifyReport;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

@Command(
    name = "report",
    description =
        "Make a page that shows how a filter is: capacity, error rate, fill, journal, and what is to"
            + " be done.")
public final class ReportCommand extends FilterCommand {

  private static final String STANDARD_OUTPUT = "-";

  @Option(
      names = "--html",
      required = true,
      paramLabel = "FILE",
      description = "What to make, or to replace; - is standard output.")
  private String file = "";

  @Option(
      names = "--no-verify",
      description = "Leave out verifying, which reads all of the filter.")
  private boolean unverified;

  private @Nullable WholeFile target;

  @Override
  void prepare() {
    if (file.isEmpty()) {
      throw new UsageException(
          "The name of the file is empty; give one, or - for standard output.");
    }
    if (!file.equals(STANDARD_OUTPUT)) {
      target = WholeFile.at(Path.of(file));
    } else if (surroundings().terminal().isOutput()) {
      throw new UsageException("A page is not for a terminal; give a file, or redirect it.");
    }
  }

  @Override
  int run(Session session, Output output) {
    byte[] page = ReportPage.of(session.withTables(() -> read(session))).getBytes(UTF_8);
    if (target == null) {
      output.write(page);
    } else {
      target.write(page);
      messages().notice("The report on filter " + filter() + " is written to " + file + ".");
    }
    return ExitCode.DONE;
  }

  private Evidence read(Session session) {
    VerifyReport verified = unverified ? null : verify(session);
    return new Evidence(
        session.bloom().info(name()),
        session.bloom().admin(name()).inspect(Evidence.MOST_RANGES),
        verified,
        surroundings().clock().instant(),
        Version.ofJar());
  }

  private VerifyReport verify(Session session) {
    VerifyStatus progress = new VerifyStatus();
    try (StatusLine status = new StatusLine(surroundings(), progress)) {
      status.start();
      return session.bloom().admin(name()).verify(VerifyOptions.defaults().onProgress(progress));
    }
  }
}
