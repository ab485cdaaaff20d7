package io.github.slotbloom.internal.verify;

import io.github.slotbloom.internal.store.catalog.GenerationSet;
import io.github.slotbloom.internal.store.catalog.KeyCounts;
import io.github.slotbloom.internal.store.journal.JournalEntry;
import io.github.slotbloom.internal.store.journal.JournalEntry.Kind;
import java.util.stream.IntStream;

/**
 * Counts the hashes that the journal holds for each generation that answers. Those of generations
 * that expired are not counted. Not thread-safe.
 */
final class BucketTally {

  private final GenerationSet set;
  private final long[] added;
  private final long[] renewed;
  private final long[] removed;
  private final long[] unfolded;

  BucketTally(GenerationSet set) {
    this.set = set;
    added = new long[set.read().size()];
    renewed = added.clone();
    removed = added.clone();
    unfolded = added.clone();
  }

  /**
   * Takes in an entry.
   *
   * @param folded whether its hashes have to be in the slots
   */
  void take(JournalEntry entry, boolean folded) {
    if (entry.kind() == Kind.REMOVE) {
      set.placeOf(entry.seq()).ifPresent(place -> removed[place] += entry.hashes().length);
    }
    if (entry.kind().setsBits()) {
      long[] counts = entry.kind() == Kind.RENEW ? renewed : added;
      set.forEachTaker(
          entry,
          place -> {
            if (place == counts.length) {
              return;
            }
            counts[place] += entry.hashes().length;
            unfolded[place] += folded ? 0 : entry.hashes().length;
          });
    }
  }

  /** Returns the hashes for the generations in some places. */
  KeyCounts held(int first, int last) {
    return new KeyCounts(
        sum(added, first, last), sum(removed, first, last), sum(renewed, first, last));
  }

  /** Returns the hashes for the generations in some places that need not be in the slots yet. */
  long unfolded(int first, int last) {
    return sum(unfolded, first, last);
  }

  private static long sum(long[] counts, int first, int last) {
    return IntStream.rangeClosed(first, last).mapToLong(place -> counts[place]).sum();
  }
}
