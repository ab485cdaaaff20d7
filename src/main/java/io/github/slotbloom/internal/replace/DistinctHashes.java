package io.github.slotbloom.internal.replace;

import io.github.slotbloom.core.FilterName;
import io.github.slotbloom.error.ReplacementException;
import io.github.slotbloom.internal.store.journal.HashBlocks;
import java.util.Arrays;
import java.util.BitSet;
import java.util.stream.LongStream;

/** Counts how many distinct hashes there are, exactly. Not thread-safe. */
final class DistinctHashes {

  /** The mirrors of a replacement may take half of it. */
  private static final int SHARE_OF_HEAP = 4;

  private static final int LEAST_ROOM = 1 << 12;
  private static final int MOST_ROOM = Integer.MAX_VALUE - 8;

  private long[] hashes;
  private int size;

  /**
   * @param expected about how many distinct hashes there are
   */
  DistinctHashes(long expected) {
    hashes = new long[Math.toIntExact(roomFor(expected))];
  }

  /** Room for repeated hashes too, so that they need not be sorted too often. */
  private static long roomFor(long hashes) {
    return LEAST_ROOM + hashes + hashes / 4;
  }

  /**
   * Refuses to count more hashes than there is memory for.
   *
   * @throws ReplacementException if the heap is too small
   */
  static void requireRoom(FilterName filter, long hashes) {
    long bytes = roomFor(hashes) * Long.BYTES;
    long heap = Runtime.getRuntime().maxMemory();
    if (bytes > heap / SHARE_OF_HEAP || roomFor(hashes) > MOST_ROOM) {
      throw new ReplacementException(
          ("Filter %s was not replaced: checking that the source has all of its %s keys takes %s"
                  + " MiB, and at most a quarter of the heap of %s MiB can be used. Raise -Xmx to %s"
                  + " MiB or more, which helps up to %s MiB; or skip the check (--force) if you are"
                  + " sure that the source has all keys.")
              .formatted(
                  filter,
                  hashes,
                  mebibytes(bytes),
                  mebibytes(heap),
                  mebibytes(bytes * SHARE_OF_HEAP),
                  mebibytes((long) MOST_ROOM * Long.BYTES * SHARE_OF_HEAP)));
    }
  }

  private static long mebibytes(long bytes) {
    return (bytes >> 20) + 1;
  }

  void addAll(long[] more) {
    for (long hash : more) {
      if (size == hashes.length) {
        makeRoom();
      }
      hashes[size++] = hash;
    }
  }

  private void makeRoom() {
    dropEqual();
    if (size > hashes.length / 5 * 4) {
      hashes = Arrays.copyOf(hashes, Math.toIntExact(roomFor(size) + size / 4));
    }
  }

  private void dropEqual() {
    size = HashBlocks.sortDistinct(hashes, size);
  }

  /**
   * How many there are apart from others.
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
