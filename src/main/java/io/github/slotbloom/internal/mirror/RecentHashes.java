package io.github.slotbloom.internal.mirror;

import java.util.concurrent.atomic.AtomicLongArray;

/**
 * Some of the hashes that are known to be recorded in the journal: the newest, and of the older
 * ones the fewer the older they are. A yes is certain, a no means nothing. Thread-safe; asking
 * takes no lock.
 */
final class RecentHashes {

  /** 2 MiB. */
  private static final int PLACE_BITS = 18;

  // Each hash has one place, and the whole of it is kept there. A place that no hash was put into
  // holds one that belongs elsewhere. AtomicLongArray, since a plain long may be read in halves.
  private final AtomicLongArray places = new AtomicLongArray(1 << PLACE_BITS);

  RecentHashes() {
    places.setPlain(placeOf(0), 1);
  }

  boolean contains(long hash) {
    return places.getOpaque(placeOf(hash)) == hash;
  }

  void add(long[] hashes) {
    for (long hash : hashes) {
      places.setOpaque(placeOf(hash), hash);
    }
  }

  // Chosen keys may share their low bits.
  private static int placeOf(long hash) {
    return (int) ((hash * 0x9E3779B97F4A7C15L) >>> (Long.SIZE - PLACE_BITS));
  }
}
