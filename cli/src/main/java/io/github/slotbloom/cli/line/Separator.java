package io.github.slotbloom.cli.line;

import picocli.CommandLine.Option;

/** The option for the byte that ends a line of input and output. */
public final class Separator {

  @Option(
      names = {"-0", "--null"},
      description = "Lines end with a NUL byte instead of a line feed, in input and output.")
  private boolean nul;

  public byte value() {
    return (byte) (nul ? '\0' : '\n');
  }
}
