package io.github.slotbloom.internal.add;

import io.github.slotbloom.internal.ask.Held;
import io.github.slotbloom.internal.store.catalog.FilterHead;
import io.github.slotbloom.internal.store.journal.JournalEntry;
import java.util.Arrays;
import java.util.List;

/**
 * One attempt to write a batch: what was decided, and what was sent. Thrown away if the transaction
 * is played again.
 */
final class WriteAttempt {

  private final List<PendingAdd> batch;
  private final long[] hashes;
  private final FilterHead head;
  private final Room room;
  private Decision decision = Decision.NONE;
  private List<JournalEntry> entries = List.of();

  /**
   * @param head what was read under the lock
   */
  WriteAttempt(FilterHead head, Room room, List<PendingAdd> batch) {
    this.head = head;
    this.room = room;
    this.batch = batch;
    this.hashes = hashesOf(batch);
  }

  /** Those of all callers, in their order. */
  static long[] hashesOf(List<PendingAdd> batch) {
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

  /** Decides which keys are new. A caller whose new keys do not all fit is refused. */
  Decision decide(Held held) {
    int[] sizes = batch.stream().mapToInt(pending -> pending.hashes.length).toArray();
    decision = Decision.of(sizes, hashes, held, room.left(head));
    return decision;
  }

  void writes(List<JournalEntry> appended) {
    entries = appended;
  }

  FilterHead head() {
    return head;
  }

  /** What this leaves behind when it is committed. */
  FilterHead headAfter() {
    return wrote() ? head.after(entries.get(entries.size() - 1).cursor(), keysWritten()) : head;
  }

  List<JournalEntry> entries() {
    return entries;
  }

  boolean wrote() {
    return !entries.isEmpty();
  }

  long keysWritten() {
    return JournalEntry.newKeys(entries);
  }

  /** Hands each caller its answers, or the refusal. */
  void answer() {
    int from = 0;
    for (int i = 0; i < batch.size(); i++) {
      PendingAdd pending = batch.get(i);
      int to = from + pending.hashes.length;
      if (decision.refused().get(i)) {
        pending.answers.completeExceptionally(room.full(head, decision.newHashes().length));
      } else {
        pending.answers.complete(Arrays.copyOfRange(decision.fresh(), from, to));
      }
      from = to;
    }
  }
}
