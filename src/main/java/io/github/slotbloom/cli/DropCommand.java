package io.github.slotbloom.cli;

import picocli.CommandLine.Command;

@Command(name = "drop", description = "Remove a filter and its tables.")
final class DropCommand extends FilterCommand {

  @Override
  int run(Session session, Output output) {
    session.withTables(
        () -> {
          session.bloom().drop(name());
          return null;
        });
    return ExitCode.DONE;
  }
}
