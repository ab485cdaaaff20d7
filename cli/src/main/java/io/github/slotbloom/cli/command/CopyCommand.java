package io.github.slotbloom.cli.command;

import io.github.slotbloom.cli.ExitCode;
import io.github.slotbloom.cli.connect.Session;
import io.github.slotbloom.cli.terminal.Output;
import io.github.slotbloom.core.FilterName;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

@Command(name = "copy", description = "Copy a filter while other processes use it.")
public final class CopyCommand extends FilterCommand {

  @Parameters(index = "1", paramLabel = "COPY", description = "Name of the copy.")
  private String copy = "";

  @Override
  void prepare() {
    FilterName unused = new FilterName(copy);
  }

  @Override
  int run(Session session, Output output) {
    session.withTables(() -> session.bloom().admin(name()).copyTo(copy));
    messages()
        .notice("Filter " + new FilterName(copy) + " was created as a copy of " + filter() + ".");
    return ExitCode.DONE;
  }
}
