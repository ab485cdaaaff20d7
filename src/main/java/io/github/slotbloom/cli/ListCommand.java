package io.github.slotbloom.cli;

import picocli.CommandLine.Command;

@Command(name = "list", description = "Print the names of all filters.")
final class ListCommand extends DatabaseCommand {

  @Override
  int run(Session session, Output output) {
    session.withTables(session.bloom()::list).forEach(output::println);
    return ExitCode.DONE;
  }
}
