package io.github.slotbloom.internal.bits;

import java.util.function.IntPredicate;
import java.util.function.LongPredicate;
import java.util.stream.IntStream;

/** Chooses among hashes, and tests them. */
public final class Hashes {

  private Hashes() {}

  /**
   * Returns some of the hashes, in their order.
   *
   * @param wanted true for the places of those
   */
  public static long[] where(long[] hashes, IntPredicate wanted) {
    return IntStream.range(0, hashes.length).filter(wanted).mapToLong(i -> hashes[i]).toArray();
  }

  /** Tests each of the hashes, in their order. */
  public static boolean[] test(long[] hashes, LongPredicate test) {
    boolean[] answers = new boolean[hashes.length];
    for (int i = 0; i < hashes.length; i++) {
      answers[i] = test.test(hashes[i]);
    }
    return answers;
  }
}
