package io.github.slotbloom.engine;

import java.util.concurrent.atomic.AtomicLongArray;

/**
 * Some of the hashes that this process knows to be recorded in the journal: the newest, and of the
 * older ones the fewer the older they are. A yes is certain, a no means nothing. Thread-safe;
 * asking takes no lock.
 */
final class RecentHashes {

  /** 2 MiB. */
  private static final int PLACE_BITS = 18;

  private volatile Era era = new Era();

  /** Whether the hash was added, to the era of now. */
  boolean contains(long hash) {
    return era.contains(hash);
  }

  /**
   * What hashes are to be added to. To be taken before it is found out that they are recorded: what
   * belongs to the time before a {@link #clear} can then come as late as it may.
   */
  Era era() {
    return era;
  }

  /** Forgets everything: another epoch or another history of the filter begins. */
  void clear() {
    era = new Era();
  }

  /** The hashes of one epoch and history. */
  static final class Era {

    // Each hash has one place, and the whole of it is kept there. A place that no hash was put into
    // holds one that belongs elsewhere. AtomicLongArray, since a plain long may be read in halves.
    private final AtomicLongArray places = new AtomicLongArray(1 << PLACE_BITS);

    private Era() {
      places.setPlain(placeOf(0), 1);
    }

    boolean contains(long hash) {
      return places.getOpaque(placeOf(hash)) == hash;
    }

    void add(long hash) {
      places.setOpaque(placeOf(hash), hash);
    }

    void add(long[] hashes) {
      for (long hash : hashes) {
        add(hash);
      }
    }

    // Chosen keys may share their low bits.
    private static int placeOf(long hash) {
      return (int) ((hash * 0x9E3779B97F4A7C15L) >>> (Long.SIZE - PLACE_BITS));
    }
  }
}
