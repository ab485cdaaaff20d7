package io.github.slotbloom.internal.store.journal;

import static java.util.stream.Collectors.toSet;

import io.github.slotbloom.internal.store.filter.FilterRecord;
import io.github.slotbloom.internal.store.session.Tx;
import io.github.slotbloom.internal.store.slots.RemovedRows;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.LongPredicate;
import java.util.function.Predicate;

/**
 * Says which of some hashes a filter that retains its hashes really holds, whatever their bits say.
 *
 * @param held those of the hashes that the filter holds
 * @param counted those of them that were answered "new" and counted when they were added
 */
public record HeldHashes(Set<Long> held, Set<Long> counted) {

  /** The state of a hash in the journal. */
  private static final class Trace {
    private boolean held;
    private boolean counted;

    /** True if what older places say is over. */
    private boolean decided;

    void take(JournalEntry.Kind kind) {
      switch (kind) {
        case ADD, RETURN, READD -> set(true);
        case REMOVE -> set(false);
        case SEEN, FILL -> held = true;
        default -> {}
      }
    }

    private void set(boolean added) {
      held = added;
      counted = added;
      decided = true;
    }
  }

  /**
   * Looks hashes up. Most are found in a block, by one row each. Only for the others the journal is
   * read, from its oldest entry on.
   *
   * @param last number of the newest entry; needs the lock of the head, or the caller must find the
   *     same end of the journal afterwards
   * @param added true if the newest entry of a hash is known to have added it
   */
  public static HeldHashes find(
      Tx tx, FilterRecord filter, long[] hashes, long last, LongPredicate added) {
    RemovedRows rows = new RemovedRows(filter);
    Map<Long, Trace> traces = new HashMap<>();
    for (long hash : hashes) {
      Trace trace = new Trace();
      if (added.test(hash)) {
        trace.take(JournalEntry.Kind.ADD);
      }
      traces.put(hash, trace);
    }
    if (undecided(traces).length > 0) {
      long begins = filter.manifest().begins();
      long first = Math.max(begins + 1, Journal.firstSeqNow(tx, filter, last));
      findInBlocks(tx, filter, rows, first, traces);
      findInJournal(tx, filter, first, last, traces);
      lockInBlocks(tx, filter, rows, traces);
    }
    return new HeldHashes(
        where(traces, trace -> trace.held), where(traces, trace -> trace.counted));
  }

  private static Set<Long> where(Map<Long, Trace> traces, Predicate<Trace> wanted) {
    return traces.entrySet().stream()
        .filter(each -> wanted.test(each.getValue()))
        .map(Map.Entry::getKey)
        .collect(toSet());
  }

  private static long[] undecided(Map<Long, Trace> traces) {
    return traces.entrySet().stream()
        .filter(each -> !each.getValue().decided)
        .mapToLong(Map.Entry::getKey)
        .toArray();
  }

  private static void findInBlocks(
      Tx tx, FilterRecord filter, RemovedRows rows, long firstSeq, Map<Long, Trace> traces) {
    long[] undecided = undecided(traces);
    // A block may still have a hash that was removed before the filter was rebuilt.
    boolean upToDate = firstSeq > filter.manifest().removedAfter();
    Set<Long> inBlocks = HashBlocks.holding(tx, filter, undecided);
    Set<Long> neverCounted = rows.neverCounted(tx, undecided);
    for (long hash : inBlocks) {
      Trace trace = Objects.requireNonNull(traces.get(hash));
      boolean counted = !neverCounted.contains(hash);
      trace.held = true;
      trace.counted |= counted;
      trace.decided = upToDate && counted;
    }
  }

  /**
   * Looks again for what is not found yet: others may have moved it from the journal to the blocks
   * meanwhile, where the snapshot of a caller's transaction does not show it.
   */
  private static void lockInBlocks(
      Tx tx, FilterRecord filter, RemovedRows rows, Map<Long, Trace> traces) {
    long[] undecided = undecided(traces);
    Set<Long> neverCounted = rows.lockNeverCounted(tx, undecided);
    for (long hash : HashBlocks.lockHolding(tx, filter, undecided)) {
      Trace trace = Objects.requireNonNull(traces.get(hash));
      trace.held = true;
      trace.counted |= !neverCounted.contains(hash);
    }
  }

  private static void findInJournal(
      Tx tx, FilterRecord filter, long firstSeq, long last, Map<Long, Trace> traces) {
    Map<Long, Trace> wanted = new HashMap<>();
    for (long hash : undecided(traces)) {
      wanted.put(hash, Objects.requireNonNull(traces.get(hash)));
    }
    long seq = wanted.isEmpty() ? last : firstSeq - 1;
    while (seq < last) {
      List<JournalEntry> visible = Journal.visible(tx, filter, seq, last);
      long next = visible.isEmpty() ? last + 1 : visible.get(0).seq();
      if (next > seq + 1) {
        // The snapshot of a caller's transaction lacks what others appended since.
        long end = Math.min(next - 1, seq + JournalEntry.PAGE);
        take(Journal.lockEntries(tx, filter, seq, end), wanted);
        seq = end;
      }
      for (JournalEntry entry : visible) {
        if (entry.seq() == seq + 1) {
          take(List.of(entry), wanted);
          seq++;
        }
      }
    }
  }

  private static void take(List<JournalEntry> entries, Map<Long, Trace> traces) {
    for (JournalEntry entry : entries) {
      for (long hash : entry.hashes()) {
        Trace trace = traces.get(hash);
        if (trace != null) {
          trace.take(entry.kind());
        }
      }
    }
  }
}
