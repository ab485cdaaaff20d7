package io.github.slotbloom.internal.admin;

import io.github.slotbloom.internal.store.journal.HashBlocks;
import java.util.Arrays;
import java.util.BitSet;
import java.util.stream.LongStream;

/**
 * Counts how many distinct hashes there are, exactly. Where memory is too small for all of them it
 * counts a part, chosen by the hash, and the others in later passes. Not thread-safe.
 */
final class DistinctHashes {

  private static final int SHARE_OF_HEAP = 8;
  private static final int FIRST_ROOM = 1 << 12;

  /** So that the array can double, and double once more, whatever the heap. */
  private static final int MOST_OF_PART = 1 << 28;

  private final int parts;
  private final int part;
  private long[] hashes = new long[FIRST_ROOM];
  private int size;

  /**
   * @param parts a power of two
   * @param part from 0
   */
  DistinctHashes(int parts, int part) {
    this.parts = parts;
    this.part = part;
  }

  /** How many parts so many distinct hashes have to be counted in. */
  static int partsFor(long hashes) {
    long room = Runtime.getRuntime().maxMemory() / SHARE_OF_HEAP / Long.BYTES;
    // The array doubles, so twice as much is in use at times.
    long most = Math.min(room / 2, MOST_OF_PART);
    int parts = 1;
    while (hashes / parts > most) {
      parts *= 2;
    }
    return parts;
  }

  void add(long hash) {
    if ((hash & (parts - 1)) != part) {
      return;
    }
    if (size == hashes.length) {
      dropEqual();
      if (size > hashes.length / 2) {
        hashes = Arrays.copyOf(hashes, hashes.length * 2);
      }
    }
    hashes[size++] = hash;
  }

  private void dropEqual() {
    size = HashBlocks.sortDistinct(hashes, size);
  }

  /**
   * How many of the hashes of this part are not among those that were added.
   *
   * @param wanted of any part
   */
  long countLacking(LongStream wanted) {
    dropEqual();
    return wanted
        .filter(hash -> (hash & (parts - 1)) == part)
        .filter(hash -> Arrays.binarySearch(hashes, 0, size, hash) < 0)
        .count();
  }

  /**
   * How many there are of this part, apart from others.
   *
   * @param others some may come twice
   */
  long countWithout(LongStream others) {
    dropEqual();
    BitSet found = new BitSet(size);
    others
        .mapToInt(hash -> Arrays.binarySearch(hashes, 0, size, hash))
        .filter(i -> i >= 0)
        .forEach(found::set);
    return (long) size - found.cardinality();
  }
}
