package io.github.slotbloom.cli.page;

import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.LongStream;

/** Chooses the values that an axis labels. */
final class Ticks {

  private static final int[] STEPS = {1, 2, 5};

  private Ticks() {}

  /**
   * Returns whole numbers from 0 on, in steps of 1, 2 or 5 times a power of ten, up to a maximum
   * count.
   */
  static List<Double> counts(double to, int most) {
    double step = Math.max(1, roundedUp(to / (most - 1)));
    return LongStream.rangeClosed(0, (long) Math.floor(to / step)).mapToObj(i -> i * step).toList();
  }

  /** Rounds up to 1, 2 or 5 times a power of ten. */
  static double roundedUp(double number) {
    double power = Math.pow(10, Math.floor(Math.log10(number)));
    for (int step : STEPS) {
      if (step * power >= number) {
        return step * power;
      }
    }
    return 10 * power;
  }

  /** Returns the exponents of the powers of ten in a range, both ends included. */
  static List<Integer> decades(int from, int to) {
    return IntStream.rangeClosed(from, to).boxed().toList();
  }
}
