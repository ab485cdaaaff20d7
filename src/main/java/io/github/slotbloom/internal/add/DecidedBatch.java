package io.github.slotbloom.internal.add;

import io.github.slotbloom.core.Window;
import io.github.slotbloom.error.FilterFullException;
import io.github.slotbloom.error.RemovedKeysFullException;
import io.github.slotbloom.internal.add.PendingWrite.Kind;
import io.github.slotbloom.internal.bits.Hashes;
import io.github.slotbloom.internal.membership.Membership;
import io.github.slotbloom.internal.store.filter.FilterHead;
import io.github.slotbloom.internal.store.filter.FilterRecord;
import io.github.slotbloom.internal.store.filter.KeyCounts;
import io.github.slotbloom.internal.store.journal.HeldHashes;
import io.github.slotbloom.internal.store.journal.JournalEntry;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.function.Function;
import java.util.function.IntPredicate;
import java.util.stream.Stream;

/**
 * One attempt to write a batch: the decision, and the journal entries that record it. If the
 * transaction is repeated, another attempt replaces it.
 *
 * @param filter the filter, for its name and how keys are removed from it
 * @param head the filter's head that the decision holds for
 * @param batch the callers whose keys were decided about: those who add, then those who remove
 * @param entries empty if the decision changes nothing
 * @param counts what the entries add to the counts of the filter
 */
record DecidedBatch(
    FilterRecord filter,
    FilterHead head,
    List<PendingWrite> batch,
    Decision added,
    Removal removed,
    List<JournalEntry> entries,
    KeyCounts counts) {

  private static final boolean[] NONE_EXPIRED = {};

  /**
   * Decides which keys are new, and which are removed. Refuses a caller whose keys do not all fit.
   * Writes nothing.
   *
   * @param batch from {@link #inOrder}
   * @param hashes the hashes of the batch
   * @param held the keys of the batch that the filter holds
   * @param retained looks up which of some keys the filter really holds, if it retains hashes
   * @param nowMicros the time of the database's clock, for keys with the time of an event
   */
  static DecidedBatch decide(
      FilterRecord filter,
      FilterHead head,
      List<PendingWrite> batch,
      long[] hashes,
      Membership held,
      Function<long[], HeldHashes> retained,
      long nowMicros) {
    int adders = adders(batch);
    int[] sizes = batch.stream().mapToInt(pending -> pending.hashes.length).toArray();
    int adds = Arrays.stream(sizes, 0, adders).sum();
    boolean all = adds == hashes.length;
    Decision added =
        Decision.of(
            Arrays.copyOf(sizes, adders),
            all ? hashes : Arrays.copyOf(hashes, adds),
            all ? held : held.part(0, adds),
            head.room(),
            late(batch.subList(0, adders), filter, nowMicros));
    Removal removed =
        all
            ? Removal.NOTHING
            : remove(
                filter,
                head,
                Arrays.copyOfRange(sizes, adders, sizes.length),
                Arrays.copyOfRange(hashes, adds, hashes.length),
                held.part(adds, hashes.length),
                retained);
    return new DecidedBatch(
        filter,
        head,
        batch,
        added,
        removed,
        DecisionEntries.chain(head, added, removed.hashes()),
        DecisionEntries.counts(head, added, removed));
  }

  private static Removal remove(
      FilterRecord filter,
      FilterHead head,
      int[] sizes,
      long[] hashes,
      Membership held,
      Function<long[], HeldHashes> retained) {
    long[] there = Hashes.where(hashes, i -> held.present()[i]);
    return Removal.of(
        sizes,
        hashes,
        held,
        filter.retainHashes() && there.length > 0 ? retained.apply(there) : null,
        mostRemoved(filter, head) - head.keysRemoved());
  }

  /** Returns which keys of those who add are too old to be told whether they are new. */
  private static IntPredicate late(List<PendingWrite> adders, FilterRecord filter, long nowMicros) {
    Window window = filter.window();
    if (window == null || adders.stream().allMatch(pending -> pending.event == null)) {
      return i -> false;
    }
    BitSet late = new BitSet();
    int from = 0;
    for (PendingWrite pending : adders) {
      int to = from + pending.hashes.length;
      late.set(from, to, pending.event != null && pending.event.isLate(window, nowMicros));
      from = to;
    }
    return late::get;
  }

  private static long mostRemoved(FilterRecord filter, FilterHead head) {
    return filter.removal() == null ? 0 : filter.removal().most(head);
  }

  /** Returns the exception for a caller whose new keys do not fit. */
  FilterFullException full() {
    return new FilterFullException(
        filter.name().value(),
        filter.name().toString(),
        head.keysSet() + keysToSet(),
        head.capacity());
  }

  /** Returns the exception for a caller whose keys would be too many to be removed. */
  RemovedKeysFullException tooManyRemoved() {
    String name = filter.name().toString();
    long most = mostRemoved(filter, head);
    return head.isWindow()
        ? RemovedKeysFullException.ofWindow(name, head.keysRemoved(), most)
        : new RemovedKeysFullException(name, head.keysRemoved(), most, filter.retainHashes());
  }

  /** Returns a batch with those who add before those who remove. */
  static List<PendingWrite> inOrder(List<PendingWrite> batch) {
    if (adders(batch) == batch.size()) {
      return batch;
    }
    return Stream.concat(
            batch.stream().filter(pending -> pending.kind == Kind.ADD),
            batch.stream().filter(pending -> pending.kind == Kind.REMOVE))
        .toList();
  }

  private static int adders(List<PendingWrite> batch) {
    return (int) batch.stream().filter(pending -> pending.kind == Kind.ADD).count();
  }

  /** Returns the hashes of all callers, in their order. */
  static long[] hashesOf(List<PendingWrite> batch) {
    long[] all = new long[batch.stream().mapToInt(pending -> pending.hashes.length).sum()];
    int n = 0;
    for (PendingWrite pending : batch) {
      System.arraycopy(pending.hashes, 0, all, n, pending.hashes.length);
      n += pending.hashes.length;
    }
    return all;
  }

  int keysToSet() {
    return added.keysToSet();
  }

  boolean wrote() {
    return !entries.isEmpty();
  }

  /** Returns the head that this attempt leaves behind when it is committed. */
  FilterHead headAfter() {
    return wrote() ? head.after(entries.get(entries.size() - 1).cursor(), counts) : head;
  }

  /** Returns how many hashes the entries of new and removed keys hold. */
  long keysWritten() {
    return (long) added.newKeys() + removed.hashes().length;
  }

  /** Gives each caller its answers, or the refusal. */
  void answer() {
    int from = 0;
    int adders = adders(batch);
    for (int i = 0; i < batch.size(); i++) {
      PendingWrite pending = batch.get(i);
      boolean adds = i < adders;
      BitSet refused = adds ? added.refused() : removed.refused();
      if (i == adders) {
        from = 0;
      }
      int to = from + pending.hashes.length;
      if (refused.get(adds ? i : i - adders)) {
        pending.answers.completeExceptionally(adds ? full() : tooManyRemoved());
      } else {
        pending.answer(
            Arrays.copyOfRange(adds ? added.fresh() : removed.out(), from, to),
            pending.event == null ? NONE_EXPIRED : Arrays.copyOfRange(added.expired(), from, to));
      }
      from = to;
    }
  }
}
