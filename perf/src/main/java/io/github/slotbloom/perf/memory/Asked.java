package io.github.slotbloom.perf.memory;

import io.github.slotbloom.perf.measure.Checks;
import io.github.slotbloom.perf.measure.Keys;
import java.util.SplittableRandom;
import java.util.function.Predicate;

/** Which keys are asked for. */
public enum Asked {
  PRESENT {
    @Override
    long number(SplittableRandom random, long keys) {
      return random.nextLong(keys);
    }
  },
  ABSENT {
    @Override
    long number(SplittableRandom random, long keys) {
      return Keys.ABSENT + random.nextLong(keys);
    }
  };

  /** More than the caches hold. */
  static final int COUNT = 1 << 20;

  private static final double ERROR_RATE = 0.01;

  abstract long number(SplittableRandom random, long keys);

  /**
   * Keys in no order. They are asked for one after the other, so that the processor fetches the
   * keys themselves ahead; where their bits lie it cannot know.
   */
  Object[] keys(KeyKind kind, long keys) {
    SplittableRandom random = new SplittableRandom(42);
    Object[] asked = new Object[COUNT];
    for (int i = 0; i < COUNT; i++) {
      asked[i] = kind.key(number(random, keys));
    }
    return asked;
  }

  /** Ends the benchmark if the filter does not hold what it should. */
  void requireRight(Object[] asked, Predicate<Object> filter) {
    long seen = 0;
    for (Object key : asked) {
      seen += filter.test(key) ? 1 : 0;
    }
    boolean right = this == PRESENT ? seen == COUNT : seen <= Checks.most(COUNT, ERROR_RATE);
    if (!right) {
      throw new IllegalStateException(seen + " of " + COUNT + " " + this + " keys were seen.");
    }
  }
}
