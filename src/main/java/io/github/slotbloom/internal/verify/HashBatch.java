package io.github.slotbloom.internal.verify;

import java.util.Arrays;
import java.util.function.LongPredicate;
import java.util.stream.IntStream;
import java.util.stream.LongStream;

/** Collects recorded hashes and the numbers of their entries, up to a limit. Not thread-safe. */
final class HashBatch {

  private static final int FIRST_ROOM = 1 << 10;

  private final int most;
  private long[] hashes = new long[FIRST_ROOM];
  private long[] seqs = new long[FIRST_ROOM];
  private int size;
  private long overflow;

  HashBatch(int most) {
    this.most = most;
  }

  boolean isFull() {
    return size == most;
  }

  /** Adds a hash, or only counts it if there is no room. */
  void add(long hash, long seq) {
    if (isFull()) {
      overflow++;
      return;
    }
    if (size == hashes.length) {
      int room = Math.min(most, 2 * size);
      hashes = Arrays.copyOf(hashes, room);
      seqs = Arrays.copyOf(seqs, room);
    }
    hashes[size] = hash;
    seqs[size++] = seq;
  }

  /** How many hashes there was no room for. */
  long overflow() {
    return overflow;
  }

  int size() {
    return size;
  }

  long[] hashes() {
    return Arrays.copyOf(hashes, size);
  }

  LongStream hashesOf(LongPredicate wantedSeqs) {
    return IntStream.range(0, size).filter(i -> wantedSeqs.test(seqs[i])).mapToLong(this::hash);
  }

  long hash(int i) {
    return hashes[i];
  }

  long seq(int i) {
    return seqs[i];
  }

  void clear() {
    size = 0;
  }
}
