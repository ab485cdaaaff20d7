package io.github.slotbloom.cli.command;

import picocli.CommandLine.Option;

/** The option to bring the slots up to date before a command that adds keys ends. */
final class FoldOption {

  @Option(
      names = "--fold",
      description =
          "Write the slots of all keys before the command ends, so that SQL sees them."
              + " Standard output is closed before that, so that results do not wait.")
  private boolean fold;

  boolean given() {
    return fold;
  }
}
