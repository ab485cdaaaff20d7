package io.github.slotbloom.cli.command;

import io.github.slotbloom.cli.ExitCode;
import io.github.slotbloom.cli.connect.Session;
import io.github.slotbloom.cli.terminal.Output;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

@Command(name = "clear", description = "Remove all keys of a filter.")
public final class ClearCommand extends FilterCommand {

  @Mixin private final Confirmation confirmation = new Confirmation();

  @Override
  void prepare() {
    confirmation.require("Remove all keys of filter " + filter() + "?", surroundings());
  }

  @Override
  int run(Session session, Output output) {
    session.withTables(() -> session.bloom().admin(name()).clear());
    messages().notice("All keys of filter " + filter() + " were removed.");
    return ExitCode.DONE;
  }
}
