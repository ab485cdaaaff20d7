package io.github.slotbloom.internal.admin;

import io.github.slotbloom.internal.store.filter.FilterRecord;
import io.github.slotbloom.internal.store.filter.GenerationSet;
import io.github.slotbloom.internal.store.journal.Journal;
import io.github.slotbloom.internal.store.journal.Tail;
import io.github.slotbloom.internal.store.journal.TailReader;
import io.github.slotbloom.internal.store.session.Tx;
import java.util.Arrays;
import java.util.Optional;

/**
 * The keys in journal entries whose bits are not in the slot tables yet, by generation. Bits of a
 * merged filter are not keys, and are not counted.
 */
public final class UnfoldedKeys {

  private final Tail tail;
  private final GenerationSet set;
  private final long[] keys;

  private UnfoldedKeys(Tail tail, GenerationSet set) {
    this.tail = tail;
    this.set = set;
    keys = new long[set.all().size()];
  }

  /** Counts the keys; returns empty if the filter is gone. */
  public static Optional<UnfoldedKeys> read(Tx tx, FilterRecord filter) {
    Optional<UnfoldedKeys> unfolded =
        TailReader.unfolded(tx, filter).map(tail -> new UnfoldedKeys(tail, filter.set()));
    unfolded.ifPresent(found -> found.count(tx, filter.id()));
    return unfolded;
  }

  private void count(Tx tx, long filterId) {
    long last = tail.head().lastSeq();
    long from = tail.after();
    while (from < last) {
      long to = Math.min(last, set.lastWithSameTakers(from + 1));
      for (Journal.HashCount count : Journal.hashes(tx, filterId, from, to)) {
        set.forEachTaker(count.kind(), count.lastSeq(), place -> keys[place] += count.hashes());
      }
      from = to;
    }
  }

  /** Returns the head of the filter, and how far it is folded. */
  Tail tail() {
    return tail;
  }

  /** Returns the number of keys that the generation at this place takes. */
  long of(int place) {
    return keys[place];
  }

  /** Returns the number of keys that the generations take that answer. */
  public long ofAnswering() {
    return Arrays.stream(keys, 0, set.read().size()).sum();
  }
}
