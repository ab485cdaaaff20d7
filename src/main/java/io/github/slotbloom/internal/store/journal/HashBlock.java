package io.github.slotbloom.internal.store.journal;

import io.github.slotbloom.core.FilterName;
import io.github.slotbloom.error.CorruptFilterException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * The retained hashes of a filter in one range of hashes.
 *
 * @param first the lowest hash that the block may hold
 * @param last the highest hash that the block may hold
 * @param hashes ascending and distinct; not copied, so it must not be changed
 */
@SuppressWarnings("ArrayRecordComponent") // never compared; a copy of 64 KiB is not free
public record HashBlock(long first, long last, long[] hashes) {

  /** The most hashes in one block, which take 64 KiB. */
  static final int MAX_HASHES = 8192;

  /**
   * Hashes in each part of a block that became too large. Leaves room for more, and keeps the
   * number of blocks low.
   */
  private static final int HASHES_AFTER_SPLIT = MAX_HASHES / 4 * 3;

  /** The block that receives the first hashes of a filter. */
  static final HashBlock EMPTY = new HashBlock(Long.MIN_VALUE, Long.MAX_VALUE, new long[0]);

  /**
   * Decodes a block as it is stored.
   *
   * @param fewest the fewest hashes that it may hold
   */
  static HashBlock decode(FilterName filter, long first, long last, byte[] payload, int fewest) {
    if (payload.length < fewest * Long.BYTES
        || payload.length % Long.BYTES != 0
        || payload.length > MAX_HASHES * Long.BYTES) {
      throw corrupt(
          filter,
          "block " + first,
          "holds "
              + payload.length
              + " bytes, which is not "
              + fewest
              + " to "
              + MAX_HASHES
              + " hashes of "
              + Long.BYTES
              + " bytes");
    }
    long[] hashes = hashes(payload);
    for (int i = 0; i < hashes.length; i++) {
      if (hashes[i] < first || hashes[i] > last) {
        throw corrupt(
            filter, "block " + first, "holds the hash " + hashes[i] + ", but ends at " + last);
      }
      if (i > 0 && hashes[i] <= hashes[i - 1]) {
        throw corrupt(
            filter,
            "block " + first,
            "holds the hash " + hashes[i] + " after " + hashes[i - 1] + ", but must ascend");
      }
    }
    return new HashBlock(first, last, hashes);
  }

  static CorruptFilterException corrupt(FilterName filter, String which, String why) {
    return new CorruptFilterException(
        "Of the retained hashes of filter "
            + filter
            + " in bloom_hash_block, "
            + which
            + " "
            + why
            + ". Restore the bloom_ tables from one backup.");
  }

  byte[] payload() {
    return bytes(hashes);
  }

  /** Returns hashes as they are stored, here and in the journal. */
  static byte[] bytes(long[] hashes) {
    ByteBuffer bytes = ByteBuffer.allocate(hashes.length * Long.BYTES);
    bytes.asLongBuffer().put(hashes);
    return bytes.array();
  }

  /** Returns the hashes that {@link #bytes} stored. */
  static long[] hashes(byte[] payload) {
    long[] hashes = new long[payload.length / Long.BYTES];
    ByteBuffer.wrap(payload).asLongBuffer().get(hashes);
    return hashes;
  }

  /**
   * Returns the blocks to write so that more hashes are included.
   *
   * @param more ascending and distinct
   * @param from index of the first hash to add
   * @param to index after the last hash to add; all of them lie between {@code first} and {@code
   *     last}
   * @return blocks that together cover the same range; none if this block holds all the hashes
   *     already
   */
  List<HashBlock> with(long[] more, int from, int to) {
    long[] union = union(more, from, to);
    if (union.length == hashes.length) {
      return List.of();
    }
    int parts =
        union.length <= MAX_HASHES
            ? 1
            : (union.length + HASHES_AFTER_SPLIT - 1) / HASHES_AFTER_SPLIT;
    List<HashBlock> blocks = new ArrayList<>(parts);
    int begin = 0;
    for (int part = 1; part <= parts; part++) {
      int end = (int) ((long) union.length * part / parts);
      blocks.add(
          new HashBlock(
              begin == 0 ? first : union[begin],
              end == union.length ? last : union[end] - 1,
              Arrays.copyOfRange(union, begin, end)));
      begin = end;
    }
    return blocks;
  }

  /**
   * Returns the block without some hashes.
   *
   * @param gone ascending and distinct
   * @param from index of the first hash to take out
   * @param to index after the last hash to take out
   */
  HashBlock without(long[] gone, int from, int to) {
    return new HashBlock(
        first,
        last,
        Arrays.stream(hashes)
            .filter(hash -> Arrays.binarySearch(gone, from, to, hash) < 0)
            .toArray());
  }

  private long[] union(long[] more, int from, int to) {
    long[] union = new long[hashes.length + to - from];
    int size = 0;
    int i = 0;
    int j = from;
    while (i < hashes.length || j < to) {
      if (j == to || (i < hashes.length && hashes[i] < more[j])) {
        union[size++] = hashes[i++];
      } else {
        if (i < hashes.length && hashes[i] == more[j]) {
          i++;
        }
        union[size++] = more[j++];
      }
    }
    return Arrays.copyOf(union, size);
  }
}
