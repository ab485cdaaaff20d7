package io.github.slotbloom.cli;

import picocli.CommandLine.Command;

@Command(name = "fold", description = "Write what the journal holds into the slot table now.")
final class FoldCommand extends FilterCommand {

  @Override
  int run(Session session, Output output) {
    session.withTables(() -> session.bloom().admin().fold(name()));
    return ExitCode.DONE;
  }
}
