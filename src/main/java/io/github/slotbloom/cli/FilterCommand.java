package io.github.slotbloom.cli;

import picocli.CommandLine.Parameters;

/** What the commands share that are about one filter. */
abstract class FilterCommand extends DatabaseCommand {

  @Parameters(
      index = "0",
      paramLabel = "NAME",
      description = "Name of the filter: a-z, 0-9 and _, beginning with a letter.")
  private String name = "";

  final String name() {
    return name;
  }
}
