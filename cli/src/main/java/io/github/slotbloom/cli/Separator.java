package io.github.slotbloom.cli;

import picocli.CommandLine.Option;

/** What ends a line of input and of output. */
final class Separator {

  @Option(
      names = {"-0", "--null"},
      description = "Lines end with a NUL byte instead of a line feed, in input and output.")
  private boolean nul;

  byte value() {
    return (byte) (nul ? '\0' : '\n');
  }
}
