package io.github.slotbloom.internal.bits;

import java.math.BigDecimal;
import java.util.Locale;
import java.util.function.LongPredicate;

/** Finds the numbers to give instead of a capacity and an error rate that no filter can have. */
public final class PossibleSizes {

  /** Tells whether a filter can have these numbers. */
  @FunctionalInterface
  public interface Possible {
    boolean test(long capacity, double falsePositiveRate);
  }

  /** Below 4 / 2^64, the smallest rate of all, which is one of a single key. */
  private static final int LOWEST_EXPONENT = -21;

  private static final int RATES_OF_ONE_EXPONENT = 900;
  private static final int RATES = -LOWEST_EXPONENT * RATES_OF_ONE_EXPONENT;
  private static final int NONE = -1;

  private PossibleSizes() {}

  /**
   * Returns the part of a message that says what to give instead. Each of these numbers is possible
   * with the other number as it is.
   *
   * @param mostKeys the highest capacity that any filter has
   */
  public static String remedy(
      long capacity, double falsePositiveRate, long mostKeys, Possible possible) {
    long keys = smallest(mostKeys, fewer -> possible.test(mostKeys - fewer, falsePositiveRate));
    long rate = smallest(RATES, index -> possible.test(capacity, rate((int) index)));
    String lessKeys =
        keys == NONE ? "" : String.format(Locale.ROOT, "%,d keys or fewer", mostKeys - keys);
    String higherRate = rate == NONE ? "" : "an error rate of " + rate((int) rate) + " or more";
    if (lessKeys.isEmpty() && higherRate.isEmpty()) {
      return "spread the keys over several filters";
    }
    String or = lessKeys.isEmpty() || higherRate.isEmpty() ? "" : ", or ";
    return "give " + higherRate + or + lessKeys;
  }

  /** Returns the rates of three digits, in ascending order. They are short to write. */
  private static double rate(int index) {
    int digits = 100 + index % RATES_OF_ONE_EXPONENT;
    int exponent = LOWEST_EXPONENT + index / RATES_OF_ONE_EXPONENT;
    return BigDecimal.valueOf(digits, 3 - 1 - exponent).doubleValue();
  }

  /** Returns the first number below the end that passes a test, as all after it do; -1 if none. */
  private static long smallest(long end, LongPredicate test) {
    long low = 0;
    long high = end;
    while (low < high) {
      long middle = low + (high - low) / 2;
      if (test.test(middle)) {
        high = middle;
      } else {
        low = middle + 1;
      }
    }
    return low == end ? NONE : low;
  }
}
