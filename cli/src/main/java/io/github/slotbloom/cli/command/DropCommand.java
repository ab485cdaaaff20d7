package io.github.slotbloom.cli.command;

import io.github.slotbloom.cli.ExitCode;
import io.github.slotbloom.cli.connect.Session;
import io.github.slotbloom.cli.terminal.Output;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

@Command(name = "drop", description = "Remove a filter with its keys and tables.")
public final class DropCommand extends FilterCommand {

  @Mixin private final Confirmation confirmation = new Confirmation();

  @Override
  void prepare() {
    confirmation.require("Remove the filter " + filter() + " and its tables?", surroundings());
  }

  @Override
  int run(Session session, Output output) {
    session.withTables(() -> session.bloom().admin(name()).drop());
    messages().notice("Filter " + filter() + " and its tables were removed.");
    return ExitCode.DONE;
  }
}
