package io.github.slotbloom.internal.ask;

import java.util.Arrays;
import java.util.function.LongPredicate;
import java.util.stream.IntStream;
import java.util.stream.LongStream;

/** Recorded hashes, and the entries that they are in, up to a number. Not thread-safe. */
public final class HashBatch {

  private static final int FIRST_ROOM = 1 << 10;

  private final int most;
  private long[] hashes = new long[FIRST_ROOM];
  private long[] seqs = new long[FIRST_ROOM];
  private int size;

  /**
   * @param most how many it takes
   */
  public HashBatch(int most) {
    this.most = most;
  }

  public boolean isFull() {
    return size == most;
  }

  /** Adds one; it must not be full. */
  public void add(long hash, long seq) {
    if (size == hashes.length) {
      int room = Math.min(most, 2 * size);
      hashes = Arrays.copyOf(hashes, room);
      seqs = Arrays.copyOf(seqs, room);
    }
    hashes[size] = hash;
    seqs[size++] = seq;
  }

  public int size() {
    return size;
  }

  public long[] hashes() {
    return Arrays.copyOf(hashes, size);
  }

  /** The hashes of those entries that are wanted. */
  public LongStream hashesOf(LongPredicate wantedSeqs) {
    return IntStream.range(0, size).filter(i -> wantedSeqs.test(seqs[i])).mapToLong(this::hash);
  }

  public long hash(int i) {
    return hashes[i];
  }

  public long seq(int i) {
    return seqs[i];
  }

  public void clear() {
    size = 0;
  }
}
