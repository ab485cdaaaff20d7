package io.github.slotbloom.cli.command;

import io.github.slotbloom.cli.connect.Session;
import io.github.slotbloom.cli.terminal.Output;
import picocli.CommandLine.Option;

/** The option to bring the slots up to date before a command that adds or removes keys ends. */
final class FoldOption {

  @Option(
      names = "--fold",
      description =
          "Write all keys to the slots before the command ends, so that SQL sees them. Standard"
              + " output is closed first, so that its reader does not wait.")
  private boolean fold;

  boolean given() {
    return fold;
  }

  /** Does so if requested. */
  void foldAtEnd(FilterCommand command, Session session, Output output) {
    if (fold) {
      output.close();
      new SlotWriting(session, command.name(), command.surroundings(), command.termination())
          .writeAllAfterwards();
    }
  }
}
