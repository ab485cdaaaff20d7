package io.github.slotbloom.cli;

import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Input for commands. */
public final class Lines {

  private Lines() {}

  /** Returns the numbers from the first (inclusive) to the last (exclusive), one in each line. */
  public static String numbers(int first, int last) {
    return IntStream.range(first, last)
        .mapToObj(number -> number + "\n")
        .collect(Collectors.joining());
  }
}
