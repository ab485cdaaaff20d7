package io.github.slotbloom.perf.memory;

import io.github.slotbloom.perf.measure.Checks;
import io.github.slotbloom.perf.measure.Keys;
import java.util.SplittableRandom;
import java.util.function.Predicate;

/** The choice of keys to ask for. */
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

  /** The number of keys. They exceed the caches. */
  static final int COUNT = 1 << 20;

  private static final double FALSE_POSITIVE_RATE = 0.01;

  abstract long number(SplittableRandom random, long keys);

  /**
   * Returns keys in no order. They are asked for one after the other, so the processor can prefetch
   * the keys themselves, but not the position of their bits.
   */
  Object[] keys(KeyKind kind, long keys) {
    SplittableRandom random = new SplittableRandom(42);
    Object[] asked = new Object[COUNT];
    for (int i = 0; i < COUNT; i++) {
      asked[i] = kind.key(number(random, keys));
    }
    return asked;
  }

  /** Ends the benchmark if the filter lacks keys that it should hold. */
  void requireRight(Object[] asked, Predicate<Object> filter) {
    long seen = 0;
    for (Object key : asked) {
      seen += filter.test(key) ? 1 : 0;
    }
    boolean right =
        this == PRESENT ? seen == COUNT : seen <= Checks.most(COUNT, FALSE_POSITIVE_RATE);
    if (!right) {
      throw new IllegalStateException(seen + " of " + COUNT + " " + this + " keys were seen.");
    }
  }
}
