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
        "Write an HTML page about a filter: capacity, false positive rate, fill, journal, and what"
            + " to do.")
public final class ReportCommand extends FilterCommand {

  private static final String STANDARD_OUTPUT = "-";

  @Option(
      names = "--html",
      required = true,
      paramLabel = "FILE",
      description = "File to write or replace; - is standard output.")
  private String file = "";

  @Option(names = "--no-verify", description = "Skip verification (it reads the whole filter).")
  private boolean unverified;

  private @Nullable WholeFile target;

  @Override
  void prepare() {
    if (file.isEmpty()) {
      throw new UsageException("The file name is empty; name a file, or - for standard output.");
    }
    if (!file.equals(STANDARD_OUTPUT)) {
      target = WholeFile.at(Path.of(file));
    } else if (surroundings().terminal().isOutput()) {
      throw new UsageException(
          "An HTML page is not written to a terminal; name a file, or redirect standard output.");
    }
  }

  @Override
  int run(Session session, Output output) {
    byte[] page = ReportPage.of(session.withTables(() -> read(session))).getBytes(UTF_8);
    if (target == null) {
      output.write(page);
    } else {
      target.write(page);
      messages().notice("The report about filter " + filter() + " was written to " + file + ".");
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
