package io.github.slotbloom.cli.command;

import io.github.slotbloom.cli.CommandException;
import io.github.slotbloom.cli.ExitCode;
import io.github.slotbloom.cli.connect.Session;
import io.github.slotbloom.cli.line.Inputs;
import io.github.slotbloom.cli.terminal.Output;
import io.github.slotbloom.cli.terminal.Wording;
import io.github.slotbloom.cli.text.InfoText;
import io.github.slotbloom.error.InvalidExportException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

@Command(
    name = "import",
    description = {
      "Create a filter from a file that export wrote. A failed import leaves nothing behind.",
      "A file of export --since brings the filter created from the earlier one up to date."
    })
public final class ImportCommand extends FilterCommand {

  @Parameters(
      index = "1",
      paramLabel = "FILE",
      description = "File that export wrote; - is standard input.")
  private String file = "";

  private String input = "";

  @Override
  void prepare() {
    Inputs inputs = Inputs.of(List.of(file), takesHyphenLiterally());
    inputs.requireReadable();
    input = inputs.names().get(0);
  }

  @Override
  int run(Session session, Output output) {
    session.makingTables(
        () -> {
          importFile(session);
          return true;
        });
    messages()
        .notice(
            "%s: imported from %s, has %s."
                .formatted(
                    filter(),
                    Inputs.inWords(input),
                    InfoText.count(session.bloom().info(name()).keysAdded(), "key")));
    return ExitCode.DONE;
  }

  private void importFile(Session session) {
    try {
      if (input.equals("-")) {
        try (InputStream stream = Inputs.open(input, surroundings().input())) {
          session.bloom().importFrom(name(), stream);
        }
      } else {
        session.bloom().importFrom(name(), Path.of(input));
      }
    } catch (InvalidExportException e) {
      throw new CommandException(
          "Cannot import " + Inputs.inWords(input) + ": " + Wording.oneLine(e.getMessage()), e);
    } catch (IOException e) {
      throw new CommandException(
          "Cannot read " + Inputs.inWords(input) + ": " + Wording.reason(e) + ".", e);
    }
  }
}
