package io.github.slotbloom.cli;

import picocli.CommandLine.Command;

@Command(name = "clear", description = "Remove all keys of a filter.")
final class ClearCommand extends FilterCommand {

  @Override
  int run(Session session, Output output) {
    session.withTables(
        () -> {
          session.bloom().clear(name());
          return null;
        });
    return ExitCode.DONE;
  }
}
