package io.github.slotbloom.reliability;

import java.util.Arrays;

/** Quantiles of numbers. */
final class LongQuantiles {

  private long[] numbers = new long[16];
  private int size;

  void add(long number) {
    if (size == numbers.length) {
      numbers = Arrays.copyOf(numbers, 2 * size);
    }
    numbers[size++] = number;
  }

  void addAll(LongQuantiles others) {
    for (int i = 0; i < others.size; i++) {
      add(others.numbers[i]);
    }
  }

  int size() {
    return size;
  }

  /**
   * The smallest number that at least this part of the numbers does not exceed.
   *
   * @param part from 0 to 1
   */
  long at(double part) {
    long[] sorted = Arrays.copyOf(numbers, size);
    Arrays.sort(sorted);
    return sorted[Math.max(0, (int) Math.ceil(part * size) - 1)];
  }
}
