package io.github.slotbloom.cli;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

@Command(
    name = "import",
    description = "Make a filter out of a file that export wrote; all of it, or nothing.")
final class ImportCommand extends FilterCommand {

  @Parameters(index = "1", paramLabel = "FILE", description = "An export; - is standard input.")
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
    } catch (IOException e) {
      throw new CommandException(
          "Cannot read " + Inputs.inWords(input) + ": " + Wording.reason(e) + ".", e);
    }
  }
}
