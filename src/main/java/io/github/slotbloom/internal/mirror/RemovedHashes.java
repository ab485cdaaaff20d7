package io.github.slotbloom.internal.mirror;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * The hashes that were removed since the oldest generation was built, each with the number of the
 * entry that removed it.
 *
 * <p>One thread at a time changes it, and any thread may look a hash up without a lock. A hash
 * keeps its place once it has one: when it returns, only its entry is set to zero. So a look-up
 * never passes a hash that moves. A table that became too small is copied, and whoever looks into
 * the old one began before the copy.
 */
final class RemovedHashes {

  private static final int FEWEST_PLACES = 64;

  /** Pairs of a hash and its entry. A pair whose hash is zero is free. */
  private static final class Table {
    final AtomicLongArray pairs;
    final int places;

    Table(int places) {
      this.places = places;
      this.pairs = new AtomicLongArray(2 * places);
    }

    /** Returns the place of a hash, or the free place that it would get. */
    int placeOf(long hash) {
      int mask = places - 1;
      // Chosen keys may share their low bits.
      int place = (int) ((hash * 0x9E3779B97F4A7C15L) >>> 32) & mask;
      long there = pairs.getAcquire(2 * place);
      while (there != hash && there != 0) {
        place = (place + 1) & mask;
        there = pairs.getAcquire(2 * place);
      }
      return place;
    }

    long seqOf(long hash) {
      int place = placeOf(hash);
      // Another hash may have taken the free place meanwhile.
      return pairs.getAcquire(2 * place) == hash ? pairs.getAcquire(2 * place + 1) : 0;
    }
  }

  private volatile Table table;
  private int used;

  /** How many hashes are in the set. Only the thread that changes the set writes it. */
  private final AtomicInteger size = new AtomicInteger();

  /** The entry of the hash zero, which marks free places. */
  private volatile long seqOfZero;

  RemovedHashes() {
    this(FEWEST_PLACES);
  }

  private RemovedHashes(int places) {
    table = new Table(places);
  }

  boolean contains(long hash) {
    return size.get() > 0 && seqOf(hash) > 0;
  }

  /** Returns the number of the entry that removed a hash; zero if it is not in the set. */
  long seqOf(long hash) {
    return hash == 0 ? seqOfZero : table.seqOf(hash);
  }

  int size() {
    return size.get();
  }

  /** Returns the memory that the set takes, in bytes. */
  long bytes() {
    return 2L * Long.BYTES * table.places;
  }

  /** Takes in that an entry removed a hash, unless a newer entry is known. */
  void put(long hash, long seq) {
    long before = seqOf(hash);
    if (before >= seq) {
      return;
    }
    // Counted first: a look-up that sees an empty set looks no further.
    size.addAndGet(before == 0 ? 1 : 0);
    if (hash == 0) {
      seqOfZero = seq;
      return;
    }
    Table now = roomy();
    int place = now.placeOf(hash);
    boolean free = now.pairs.getPlain(2 * place) == 0;
    now.pairs.setRelease(2 * place + 1, seq);
    if (free) {
      now.pairs.setRelease(2 * place, hash);
      used++;
    }
  }

  /** Takes in that an entry brought a hash back, unless a newer entry removed it again. */
  void remove(long hash, long seq) {
    long before = seqOf(hash);
    if (before == 0 || before > seq) {
      return;
    }
    if (hash == 0) {
      seqOfZero = 0;
    } else {
      Table now = table;
      now.pairs.setRelease(2 * now.placeOf(hash) + 1, 0);
    }
    size.decrementAndGet();
  }

  /** Returns the hashes that entries after the given one removed, in a set of their own. */
  RemovedHashes after(long seq) {
    RemovedHashes later = new RemovedHashes();
    later.takeAll(this, seq);
    return later;
  }

  private void takeAll(RemovedHashes other, long after) {
    if (other.seqOfZero > after) {
      put(0, other.seqOfZero);
    }
    Table from = other.table;
    for (int place = 0; place < from.places; place++) {
      long seq = from.pairs.getPlain(2 * place + 1);
      if (seq > after) {
        put(from.pairs.getPlain(2 * place), seq);
      }
    }
  }

  /** Returns a table with a free place in three, so that look-ups end soon. */
  private Table roomy() {
    Table now = table;
    if ((used + 1) * 3L <= now.places * 2L) {
      return now;
    }
    // Those that returned are left out.
    int places = Integer.highestOneBit(Math.max(FEWEST_PLACES / 4, size.get())) * 4;
    RemovedHashes copy = new RemovedHashes(places);
    copy.takeAll(this, 0);
    table = copy.table;
    used = copy.used;
    return table;
  }
}
