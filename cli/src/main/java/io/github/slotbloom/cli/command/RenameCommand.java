package io.github.slotbloom.cli.command;

import io.github.slotbloom.cli.ExitCode;
import io.github.slotbloom.cli.connect.Session;
import io.github.slotbloom.cli.terminal.Output;
import io.github.slotbloom.core.FilterName;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** Asks for no confirmation: renaming the filter back undoes it. */
@Command(
    name = "rename",
    description = {
      "Give a filter another name. It keeps its keys.",
      "Programs that have it open must open it by the new name; an error tells them."
    })
public final class RenameCommand extends FilterCommand {

  @Parameters(index = "1", paramLabel = "NEW_NAME", description = "The new name of the filter.")
  private String newName = "";

  @Override
  void prepare() {
    FilterName unused = new FilterName(newName);
  }

  @Override
  int run(Session session, Output output) {
    session.withTables(() -> session.bloom().admin(name()).rename(newName));
    messages().notice("Filter " + filter() + " is named " + new FilterName(newName) + " now.");
    return ExitCode.DONE;
  }
}
