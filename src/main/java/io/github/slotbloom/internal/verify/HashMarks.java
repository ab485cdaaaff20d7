package io.github.slotbloom.internal.verify;

import java.util.Arrays;

/** Holds a number for each of many hashes, in 24 to 48 bytes each. Not thread-safe. */
final class HashMarks {

  /** Receives hashes and their marks. */
  interface Sink {
    void accept(long hash, long mark);
  }

  /** As a part of the heap; twice as much is in use while the table grows. */
  private static final int SHARE_OF_HEAP = 16;

  private static final int FIRST_PLACES = 1 << 10;
  private static final int MOST_PLACES = 1 << 29;

  private final int mostPlaces;
  private long[] pairs = new long[2 * FIRST_PLACES];
  private int size;
  private boolean overflowed;

  HashMarks() {
    this(Runtime.getRuntime().maxMemory() / SHARE_OF_HEAP / (2 * Long.BYTES));
  }

  /**
   * @param mostPlaces how large the table may grow; two thirds of that many hashes have room
   */
  HashMarks(long mostPlaces) {
    this.mostPlaces = (int) Math.min(MOST_PLACES, Math.max(FIRST_PLACES, mostPlaces));
  }

  /** Returns the mark of a hash; 0 if it has none. */
  long get(long hash) {
    return pairs[2 * placeOf(pairs, hash) + 1];
  }

  /**
   * Sets the mark of a hash, unless there is no room for one more hash.
   *
   * @param mark not 0
   * @return the mark before; 0 if it had none
   */
  long put(long hash, long mark) {
    int place = placeOf(pairs, hash);
    long before = pairs[2 * place + 1];
    if (before == 0) {
      if (!hasRoom()) {
        overflowed = true;
        return 0;
      }
      size++;
      place = placeOf(pairs, hash);
    }
    pairs[2 * place] = hash;
    pairs[2 * place + 1] = mark;
    return before;
  }

  /** Returns true if there was no room for all hashes. */
  boolean isOverflowed() {
    return overflowed;
  }

  int size() {
    return size;
  }

  void forEach(Sink sink) {
    for (int i = 0; i < pairs.length; i += 2) {
      if (pairs[i + 1] != 0) {
        sink.accept(pairs[i], pairs[i + 1]);
      }
    }
  }

  /** Returns the hashes in ascending order. */
  long[] hashes() {
    long[] hashes = new long[size];
    int[] n = {0};
    forEach((hash, mark) -> hashes[n[0]++] = hash);
    Arrays.sort(hashes);
    return hashes;
  }

  private boolean hasRoom() {
    int places = pairs.length / 2;
    if ((size + 1) * 3L <= places * 2L) {
      return true;
    }
    if (2L * places > mostPlaces) {
      return false;
    }
    long[] larger = new long[2 * pairs.length];
    forEach(
        (hash, mark) -> {
          int place = placeOf(larger, hash);
          larger[2 * place] = hash;
          larger[2 * place + 1] = mark;
        });
    pairs = larger;
    return true;
  }

  private static int placeOf(long[] pairs, long hash) {
    int last = pairs.length / 2 - 1;
    int place = (int) ((hash * 0x9E3779B97F4A7C15L) >>> 32) & last;
    while (pairs[2 * place + 1] != 0 && pairs[2 * place] != hash) {
      place = (place + 1) & last;
    }
    return place;
  }
}
