package io.github.slotbloom.cli.command;

import io.github.slotbloom.cli.CommandException;
import io.github.slotbloom.cli.ExitCode;
import io.github.slotbloom.cli.UsageException;
import io.github.slotbloom.cli.connect.Session;
import io.github.slotbloom.cli.terminal.Output;
import io.github.slotbloom.cli.terminal.OutputException;
import io.github.slotbloom.cli.terminal.Wording;
import java.io.IOException;
import java.nio.file.CopyOption;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(
    name = "export",
    description = {
      "Write a filter to a file, while others use it.",
      "The file holds the seed of the filter, so only its owner may read it."
    })
public final class ExportCommand extends FilterCommand {

  @Parameters(index = "1", paramLabel = "FILE", description = "What to make; - is standard output.")
  private String file = "";

  @Option(names = "--force", description = "Replace the file if it exists.")
  private boolean force;

  @Override
  void prepare() {
    if (file.isEmpty()) {
      throw new UsageException(
          "The name of the file is empty; give one, or - for standard output.");
    }
    if (toStandardOutput() && surroundings().terminal().isOutput()) {
      throw new UsageException("An export is not for a terminal; give a file, or redirect it.");
    }
    if (!toStandardOutput() && !force && Files.exists(Path.of(file))) {
      throw exists();
    }
  }

  private boolean toStandardOutput() {
    return file.equals("-") && !takesHyphenLiterally();
  }

  @Override
  int run(Session session, Output output) {
    session.withTables(() -> export(session));
    messages()
        .notice(
            "Filter "
                + filter()
                + " is written to "
                + (toStandardOutput() ? "standard output." : file + "."));
    return ExitCode.DONE;
  }

  private void export(Session session) {
    try {
      if (toStandardOutput()) {
        session.bloom().admin(name()).exportTo(surroundings().output());
      } else {
        CopyOption[] replacing = {StandardCopyOption.REPLACE_EXISTING};
        session
            .bloom()
            .admin(name())
            .exportTo(Path.of(file), force ? replacing : new CopyOption[0]);
      }
    } catch (FileAlreadyExistsException e) {
      throw exists();
    } catch (IOException e) {
      if (toStandardOutput()) {
        throw new OutputException(e);
      }
      throw new CommandException("Cannot write " + file + ": " + Wording.reason(e) + ".", e);
    }
  }

  private CommandException exists() {
    return new CommandException(
        "Cannot write " + file + ": it exists. Give another name, or --force to replace it.", null);
  }
}
