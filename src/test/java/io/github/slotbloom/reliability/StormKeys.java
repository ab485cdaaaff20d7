package io.github.slotbloom.reliability;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * The keys that one thread chooses. All processes are drawn to the same keys at the same time, by
 * the clock that they share: that is where answers differ if they can. Used by one thread.
 */
final class StormKeys {

  /** So many keys become new in a second, and so many are fought over at a time. */
  private static final double KEYS_PER_SECOND = 1_500;

  private static final int WINDOW = 400;
  private static final long PRIVATE = 1L << 62;

  private final Random random;
  private final long begun;
  private long nextPrivate;

  /**
   * @param owner a number that no other thread of the storm has, 31 bits at most
   */
  StormKeys(Random random, long begun, int owner) {
    this.random = random;
    this.begun = begun;
    nextPrivate = PRIVATE | (long) owner << Integer.SIZE;
  }

  /** One that others choose at this moment, too. */
  long hot() {
    return Math.max(0, newest() - random.nextInt(WINDOW));
  }

  /** One that was hot at any time before. */
  long old() {
    return random.nextLong(newest() + 1);
  }

  /** One that nobody else ever adds. */
  long ownKey() {
    return nextPrivate++;
  }

  /** Different keys, the larger part of them hot. */
  List<Long> some(int most, double own, double old) {
    List<Long> keys = new ArrayList<>();
    int count = 1 + random.nextInt(most);
    for (int i = 0; i < count; i++) {
      double dice = random.nextDouble();
      keys.add(dice < own ? ownKey() : dice < own + old ? old() : hot());
    }
    return keys.stream().distinct().toList();
  }

  private long newest() {
    return (long) ((System.nanoTime() - begun) * KEYS_PER_SECOND / 1e9);
  }
}
