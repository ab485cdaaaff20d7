package io.github.slotbloom.internal.add;

import io.github.slotbloom.error.FilterFullException;
import io.github.slotbloom.internal.ask.Membership;
import io.github.slotbloom.internal.store.catalog.FilterHead;
import io.github.slotbloom.internal.store.journal.JournalEntry;
import java.util.Arrays;
import java.util.List;

/**
 * One attempt to write a batch: the decision, and the journal entries that record it. If the
 * transaction is repeated, another attempt replaces it.
 *
 * @param head the filter's head that the decision holds for
 * @param batch the callers whose keys were decided about
 * @param entries empty if the decision changes nothing
 */
record DecidedBatch(
    FilterHead head, List<PendingAdd> batch, Decision decision, List<JournalEntry> entries) {

  /**
   * Decides which keys are new. Refuses a caller whose new keys do not all fit. Writes nothing.
   *
   * @param hashes the hashes of the batch
   * @param held the keys of the batch that the filter holds
   * @param room how many new keys the filter has room for
   */
  static DecidedBatch decide(
      FilterHead head, List<PendingAdd> batch, long[] hashes, Membership held, long room) {
    int[] sizes = batch.stream().mapToInt(pending -> pending.hashes.length).toArray();
    Decision decision = Decision.of(sizes, hashes, held, room);
    return new DecidedBatch(head, batch, decision, DecisionEntries.chain(head, decision));
  }

  /** Returns the hashes of all callers, in their order. */
  static long[] hashesOf(List<PendingAdd> batch) {
    long[] all = new long[batch.stream().mapToInt(pending -> pending.hashes.length).sum()];
    int n = 0;
    for (PendingAdd pending : batch) {
      System.arraycopy(pending.hashes, 0, all, n, pending.hashes.length);
      n += pending.hashes.length;
    }
    return all;
  }

  int newKeys() {
    return decision.newHashes().length;
  }

  boolean wrote() {
    return !entries.isEmpty();
  }

  /** Returns the head that this attempt leaves behind when it is committed. */
  FilterHead headAfter() {
    return wrote() ? head.after(entries.get(entries.size() - 1).cursor(), keysWritten()) : head;
  }

  long keysWritten() {
    return JournalEntry.newKeys(entries);
  }

  /** Gives each caller its answers, or the refusal. */
  void answer(String filter) {
    int from = 0;
    for (int i = 0; i < batch.size(); i++) {
      PendingAdd pending = batch.get(i);
      int to = from + pending.hashes.length;
      if (decision.refused().get(i)) {
        pending.answers.completeExceptionally(
            new FilterFullException(filter, head.keysAdded() + newKeys(), head.capacity()));
      } else {
        pending.answers.complete(Arrays.copyOfRange(decision.fresh(), from, to));
      }
      from = to;
    }
  }
}
