package io.github.slotbloom.reliability;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * The keys that one thread chooses. All processes are drawn to the same keys at the same time, by
 * the clock that they share: that is where answers differ if they can. Used by one thread.
 */
final class StormKeys {

  /**
   * How fast keys get out of fashion.
   *
   * @param keysPerSecond so many become new in a second
   * @param window so many are fought over at a time
   */
  record Pace(double keysPerSecond, int window) {}

  /** Each key is new once only, so it is of interest for a short time. */
  private static final Pace FAST = new Pace(1_500, 400);

  /** Each key is added and goes again and again. */
  private static final Pace SLOW = new Pace(20, 8);

  private static final long PRIVATE = 1L << 62;

  private final Random random;
  private final long begun;
  private final Pace pace;
  private final long firstPrivate;
  private long nextPrivate;

  /**
   * @param comeBack whether keys come back
   * @param owner a number that no other thread of the storm has, 31 bits at most
   */
  StormKeys(Random random, long begun, boolean comeBack, int owner) {
    this.random = random;
    this.begun = begun;
    pace = comeBack ? SLOW : FAST;
    firstPrivate = PRIVATE | (long) owner << Integer.SIZE;
    nextPrivate = firstPrivate;
  }

  /** One that others choose at this moment, too. */
  long hot() {
    return Math.max(0, newest() - random.nextInt(pace.window));
  }

  /** When the event of a key came up that is not somebody's own, after the first of them. */
  Duration eventOf(long key) {
    return Duration.ofNanos((long) (key / pace.keysPerSecond * 1e9));
  }

  /** One that was hot at any time before. */
  long old() {
    return random.nextLong(newest() + 1);
  }

  /** One that nobody else ever adds. */
  long ownKey() {
    return nextPrivate++;
  }

  /** One of those that {@link #ownKey} gave, if there are any. */
  long ownKeyOfBefore() {
    return nextPrivate == firstPrivate
        ? ownKey()
        : firstPrivate + random.nextLong(nextPrivate - firstPrivate);
  }

  /** Different keys to be removed, some of them its own. */
  List<Long> someToRemove(int most) {
    return some(most, 0, 0.1).stream()
        .map(key -> random.nextInt(4) == 0 ? ownKeyOfBefore() : key)
        .distinct()
        .toList();
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
    return (long) ((System.nanoTime() - begun) * pace.keysPerSecond / 1e9);
  }
}
