package io.github.slotbloom.internal.mirror;

import java.util.concurrent.atomic.AtomicLongArray;

/**
 * A part of the hashes that are known to be in the journal. New hashes displace old ones, so the
 * share that is kept falls with the age of the hashes. A yes is certain, a no means nothing.
 * Thread-safe; lookups take no lock.
 */
final class RecentHashes {

  /** The places take 2 MiB. */
  private static final int PLACE_BITS = 18;

  // Each hash has one place, which keeps the whole hash. A place without a hash holds a value that
  // belongs elsewhere. An AtomicLongArray is needed because a plain long may be read in halves.
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

  void remove(long[] hashes) {
    for (long hash : hashes) {
      int place = placeOf(hash);
      // Neither belongs to both places.
      places.compareAndSet(place, hash, place == placeOf(0) ? 1 : 0);
    }
  }

  // Chosen keys may share their low bits.
  private static int placeOf(long hash) {
    return (int) ((hash * 0x9E3779B97F4A7C15L) >>> (Long.SIZE - PLACE_BITS));
  }
}
