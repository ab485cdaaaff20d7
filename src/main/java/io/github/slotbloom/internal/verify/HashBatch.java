package io.github.slotbloom.internal.verify;

import java.util.Arrays;
import java.util.function.LongPredicate;
import java.util.stream.IntStream;
import java.util.stream.LongStream;

/** Collects recorded hashes and the numbers of their entries, up to a limit. Not thread-safe. */
public final class HashBatch {

  private static final int FIRST_ROOM = 1 << 10;

  private final int most;
  private long[] hashes = new long[FIRST_ROOM];
  private long[] seqs = new long[FIRST_ROOM];
  private int size;

  /**
   * Creates an empty batch.
   *
   * @param most how many hashes it takes
   */
  public HashBatch(int most) {
    this.most = most;
  }

  public boolean isFull() {
    return size == most;
  }

  /** Adds a hash. The batch must not be full. */
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

  /** Returns the hashes of the wanted entries. */
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
