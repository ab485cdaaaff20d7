package io.github.slotbloom.internal.bits;

import java.math.BigDecimal;
import java.util.Locale;
import java.util.function.LongPredicate;

/**
 * Finds the numbers to give instead of a capacity and a false positive rate that no filter can
 * have.
 */
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

  private PossibleSizes() {}

  /**
   * Returns the part of a message that says what to give instead. Each of these numbers is possible
   * with the other number as it is.
   *
   * @param mostKeys the highest capacity that any filter has
   */
  public static String remedy(
      long capacity, double falsePositiveRate, long mostKeys, Possible possible) {
    long keys = smallest(0, mostKeys, fewer -> possible.test(mostKeys - fewer, falsePositiveRate));
    long rate = smallest(0, RATES, index -> possible.test(capacity, rate((int) index)));
    String lessKeys =
        keys == mostKeys ? "" : String.format(Locale.ROOT, "%,d keys or fewer", mostKeys - keys);
    String higherRate =
        rate == RATES ? "" : "a false positive rate of " + rate((int) rate) + " or more";
    if (lessKeys.isEmpty() && higherRate.isEmpty()) {
      return "spread the keys over several filters";
    }
    String or = lessKeys.isEmpty() || higherRate.isEmpty() ? "" : ", or ";
    return "use " + higherRate + or + lessKeys;
  }

  /** Returns the rates of three digits, in ascending order. They are short to write. */
  private static double rate(int index) {
    int digits = 100 + index % RATES_OF_ONE_EXPONENT;
    int exponent = LOWEST_EXPONENT + index / RATES_OF_ONE_EXPONENT;
    return BigDecimal.valueOf(digits, 3 - 1 - exponent).doubleValue();
  }

  /**
   * Returns the first number from low on that passes a test, as all after it do; the end if none
   * below it does.
   */
  public static long smallest(long low, long end, LongPredicate test) {
    long from = low;
    long to = end;
    while (from < to) {
      long middle = from + (to - from) / 2;
      if (test.test(middle)) {
        to = middle;
      } else {
        from = middle + 1;
      }
    }
    return from;
  }
}
