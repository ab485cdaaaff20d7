package io.github.slotbloom.cli.command;

import io.github.slotbloom.ExportBase;
import io.github.slotbloom.FilterAdmin;
import io.github.slotbloom.cli.CommandException;
import io.github.slotbloom.cli.ExitCode;
import io.github.slotbloom.cli.UsageException;
import io.github.slotbloom.cli.connect.Session;
import io.github.slotbloom.cli.line.Inputs;
import io.github.slotbloom.cli.line.WholeFile;
import io.github.slotbloom.cli.terminal.Output;
import io.github.slotbloom.cli.terminal.OutputException;
import io.github.slotbloom.cli.terminal.Wording;
import io.github.slotbloom.error.InvalidExportException;
import java.io.IOException;
import java.nio.file.CopyOption;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(
    name = "export",
    description = {
      "Write a filter, or what was added to it since an earlier export, to a file while other"
          + " processes use it.",
      "The file contains the seed of the filter, so only its owner can read it."
    })
public final class ExportCommand extends FilterCommand {

  private static final String ENTRY = "\\d{1,18}";

  @Parameters(
      index = "1",
      paramLabel = "FILE",
      description = "File to write; - is standard output.")
  private String file = "";

  @Option(names = "--force", description = "Replace the file if it exists.")
  private boolean force;

  @Option(
      names = "--since",
      paramLabel = "FILE|ENTRY",
      description =
          "Write only the changes since an earlier export: its file, or the number of the last"
              + " journal entry in it.")
  private @Nullable String since;

  @Override
  void prepare() {
    if (file.isEmpty()) {
      throw new UsageException("The file name is empty; name a file, or - for standard output.");
    }
    if (toStandardOutput() && surroundings().terminal().isOutput()) {
      throw new UsageException(
          "An export is binary, so it is not written to a terminal; name a file, or redirect"
              + " standard output.");
    }
    if (!toStandardOutput()) {
      WholeFile unused = WholeFile.at(Path.of(file));
      if (!force && Files.exists(Path.of(file))) {
        throw exists();
      }
    }
    if (since != null) {
      requireBase(since);
    }
  }

  private static void requireBase(String since) {
    if (since.equals("-")) {
      throw new UsageException(
          "--since takes a file or the number of an entry, and standard input is neither; name a"
              + " file, or write ./- for a file of that name.");
    }
    if (!since.matches(ENTRY)) {
      if (since.matches("[+-]?\\d+")) {
        throw new UsageException(
            "--since "
                + since
                + " is not the number of an entry, which has 1 to 18 digits and no sign; write ./"
                + since
                + " for a file of that name.");
      }
      new Inputs(List.of(since)).requireReadable();
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
                + " was written to "
                + (toStandardOutput() ? "standard output." : file + "."));
    return ExitCode.DONE;
  }

  private void export(Session session) {
    try {
      FilterAdmin admin = session.bloom().admin(name());
      CopyOption[] replacing = {StandardCopyOption.REPLACE_EXISTING};
      CopyOption[] options = force ? replacing : new CopyOption[0];
      if (since != null && toStandardOutput()) {
        admin.exportTo(base(since), surroundings().output());
      } else if (since != null) {
        admin.exportTo(base(since), Path.of(file), options);
      } else if (toStandardOutput()) {
        admin.exportTo(surroundings().output());
      } else {
        admin.exportTo(Path.of(file), options);
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

  private static ExportBase base(String since) {
    try {
      return since.matches(ENTRY)
          ? ExportBase.entry(Long.parseLong(since))
          : ExportBase.read(Path.of(since));
    } catch (InvalidExportException e) {
      throw new CommandException(
          "Cannot continue " + since + ": " + Wording.oneLine(e.getMessage()), e);
    } catch (IOException e) {
      throw new CommandException("Cannot read " + since + ": " + Wording.reason(e) + ".", e);
    }
  }

  private CommandException exists() {
    return new CommandException(
        "Cannot write " + file + ": the file exists. Use another name, or --force to replace it.",
        null);
  }
}
