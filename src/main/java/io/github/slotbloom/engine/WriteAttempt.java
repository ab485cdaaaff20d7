package io.github.slotbloom.engine;

import io.github.slotbloom.store.FilterHead;
import io.github.slotbloom.store.JournalEntry;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/**
 * One attempt to write a batch: what was decided, and what was sent. Thrown away if the transaction
 * is played again.
 */
final class WriteAttempt {

  private final List<PendingAdd> batch;
  private final long[] hashes;
  private final boolean[] fresh;
  private final FilterHead head;
  private List<JournalEntry> entries = List.of();
  private final Map<PendingAdd, RuntimeException> refused = new HashMap<>();
  private boolean folded;

  /**
   * @param head what was read under the lock
   */
  WriteAttempt(FilterHead head, List<PendingAdd> batch) {
    this.head = head;
    this.batch = batch;
    this.hashes = concatenate(batch);
    this.fresh = new boolean[hashes.length];
  }

  private static long[] concatenate(List<PendingAdd> batch) {
    long[] all = new long[batch.stream().mapToInt(pending -> pending.hashes.length).sum()];
    int n = 0;
    for (PendingAdd pending : batch) {
      System.arraycopy(pending.hashes, 0, all, n, pending.hashes.length);
      n += pending.hashes.length;
    }
    return all;
  }

  List<PendingAdd> batch() {
    return batch;
  }

  long[] hashes() {
    return hashes;
  }

  /**
   * Decides in order which keys are new: those that the filter lacked and that did not come up
   * before in this batch. Comparing hashes within the batch, rather than bits, leaves out the false
   * positives that the batch would have with itself.
   *
   * @param room how many new keys there is room for; a caller whose new keys do not fit is refused
   *     as a whole
   * @param refusal makes what such a caller is told
   * @return the hashes of the new keys
   */
  long[] decide(boolean[] present, long room, Supplier<RuntimeException> refusal) {
    long[] newHashes = new long[hashes.length];
    int n = 0;
    LongSet before = new LongSet(hashes.length);
    int from = 0;
    for (PendingAdd pending : batch) {
      int to = from + pending.hashes.length;
      int begin = n;
      for (int i = from; i < to; i++) {
        fresh[i] = !present[i] && before.add(hashes[i]);
        if (fresh[i]) {
          newHashes[n++] = hashes[i];
        }
      }
      if (n > begin && n > room) {
        while (n > begin) {
          before.removeNewest(newHashes[--n]);
        }
        refused.put(pending, refusal.get());
      }
      from = to;
    }
    return Arrays.copyOf(newHashes, n);
  }

  void writes(List<JournalEntry> appended, boolean throughToSlots) {
    entries = appended;
    folded = throughToSlots;
  }

  FilterHead head() {
    return head;
  }

  List<JournalEntry> entries() {
    return entries;
  }

  boolean wrote() {
    return !entries.isEmpty();
  }

  boolean folded() {
    return folded;
  }

  long keysWritten() {
    return entries.stream().mapToLong(entry -> entry.hashes().length).sum();
  }

  /** Hands each caller its answers. */
  void answer() {
    int from = 0;
    for (PendingAdd pending : batch) {
      int to = from + pending.hashes.length;
      RuntimeException refusal = refused.get(pending);
      if (refusal == null) {
        pending.answers.complete(Arrays.copyOfRange(fresh, from, to));
      } else {
        pending.answers.completeExceptionally(refusal);
      }
      from = to;
    }
  }
}
