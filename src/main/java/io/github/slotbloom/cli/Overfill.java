package io.github.slotbloom.cli;

import io.github.slotbloom.WhenFull;
import picocli.CommandLine.Option;

/** What is done with a filter that holds as many keys as it was made for. */
final class Overfill {

  @Option(
      names = "--overfill",
      description =
          "Go on when the filter holds as many keys as it was made for, at an error rate that"
              + " rises; without this the command ends with code 4.")
  private boolean chosen;

  boolean chosen() {
    return chosen;
  }

  WhenFull whenFull() {
    return chosen ? WhenFull.ADD : WhenFull.REFUSE;
  }
}
