package io.github.slotbloom.cli.command;

import io.github.slotbloom.cli.ExitCode;
import io.github.slotbloom.cli.connect.Session;
import io.github.slotbloom.cli.terminal.Output;
import picocli.CommandLine.Command;

@Command(name = "fold", description = "Write what the journal holds into the slot table now.")
public final class FoldCommand extends FilterCommand {

  @Override
  int run(Session session, Output output) {
    session.withTables(() -> session.bloom().admin().fold(name()));
    return ExitCode.DONE;
  }
}
