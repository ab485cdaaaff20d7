package io.github.slotbloom.internal.admin;

import io.github.slotbloom.internal.store.filter.FilterRecord;
import io.github.slotbloom.internal.store.filter.Manifest;
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
  private final Manifest manifest;
  private final long[] keys;

  private UnfoldedKeys(Tx tx, FilterRecord filter, Tail tail) {
    this.tail = tail;
    manifest = filter.manifest();
    keys = new long[manifest.all().size()];
    count(tx, filter.id());
  }

  /** Counts the keys; returns empty if the filter is gone. */
  public static Optional<UnfoldedKeys> read(Tx tx, FilterRecord filter) {
    return TailReader.unfolded(tx, filter).map(tail -> new UnfoldedKeys(tx, filter, tail));
  }

  private void count(Tx tx, long filterId) {
    long last = tail.head().lastSeq();
    long from = tail.after();
    while (from < last) {
      long to = Math.min(last, manifest.lastWithSameTakers(from + 1));
      for (Journal.HashCount count : Journal.hashes(tx, filterId, from, to)) {
        manifest.forEachTaker(
            count.kind().aim(), count.lastSeq(), place -> keys[place] += count.hashes());
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

  /** Returns the number of keys that the active generations take. */
  public long ofAnswering() {
    return Arrays.stream(keys, 0, manifest.read().size()).sum();
  }
}
