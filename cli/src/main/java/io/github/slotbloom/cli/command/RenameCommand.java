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
      "Rename a filter. It keeps its keys.",
      "Programs that have it open get an error with the new name, and must open it again."
    })
public final class RenameCommand extends FilterCommand {

  @Parameters(index = "1", paramLabel = "NEW_NAME", description = "New name of the filter.")
  private String newName = "";

  @Override
  void prepare() {
    FilterName unused = new FilterName(newName);
  }

  @Override
  int run(Session session, Output output) {
    session.withTables(() -> session.bloom().admin(name()).rename(newName));
    messages().notice("Filter " + filter() + " is now named " + new FilterName(newName) + ".");
    return ExitCode.DONE;
  }
}
