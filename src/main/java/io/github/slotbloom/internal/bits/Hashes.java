package io.github.slotbloom.internal.bits;

import java.util.function.IntPredicate;
import java.util.stream.IntStream;

/** Chooses among hashes. */
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
}
