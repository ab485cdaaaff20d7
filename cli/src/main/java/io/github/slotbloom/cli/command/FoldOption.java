package io.github.slotbloom.cli.command;

import picocli.CommandLine.Option;

/** The option to bring the slots up to date before a command that adds keys ends. */
final class FoldOption {

  @Option(
      names = "--fold",
      description =
          "Write the slots of all keys before this ends, so that SQL sees them. Results come first:"
              + " standard output is closed before.")
  private boolean fold;

  boolean given() {
    return fold;
  }
}
