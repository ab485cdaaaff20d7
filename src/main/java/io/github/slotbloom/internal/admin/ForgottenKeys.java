package io.github.slotbloom.internal.admin;

import io.github.slotbloom.internal.ask.SourceKeys;
import io.github.slotbloom.internal.store.RemovedRows;
import io.github.slotbloom.internal.store.Tx;
import io.github.slotbloom.internal.store.catalog.FilterRecord;
import io.github.slotbloom.internal.store.journal.Cursor;
import io.github.slotbloom.internal.store.journal.HashBlocks;
import io.github.slotbloom.internal.store.journal.Journal;
import io.github.slotbloom.internal.store.journal.JournalChain;
import io.github.slotbloom.internal.store.journal.JournalEntry;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Objects;
import java.util.PrimitiveIterator;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/**
 * The keys that a filter with retained hashes counts, and that the generation being filled lacks
 * since the source does. They were counted at some entry of the journal; what was appended since
 * may have removed them, or brought them to that generation after all.
 *
 * <p>Their hashes stay where they are: whoever reads them looks whether the filter still has their
 * bits.
 */
final class ForgottenKeys {

  /** None, as far as anybody knows. */
  static final ForgottenKeys NONE = new ForgottenKeys(new long[0], null);

  private static final int KEYS_PER_LOOK_UP = 1024;

  /** So many that their blocks are read one after the other. */
  private static final int KEYS_PER_READ = 1 << 16;

  /** Ascending and distinct. */
  private final long[] hashes;

  /** The end of the journal when they were counted. */
  private final @Nullable Cursor seen;

  private ForgottenKeys(long[] hashes, @Nullable Cursor seen) {
    this.hashes = hashes;
    this.seen = seen;
  }

  /**
   * Finds them. No hash moves from the journal to the blocks meanwhile, since the filter is being
   * replaced.
   *
   * @param filter with a generation that is being filled, and that has all keys of the source
   */
  static ForgottenKeys find(
      FilterDirectory directory, FilterRecord filter, Function<long[], SourceKeys> lookup) {
    Cursor seen = directory.require(filter.name()).head().end();
    LongStream.Builder lacking = LongStream.builder();
    try (LongStream retained = new RetainedHashes().open(directory, filter)) {
      PrimitiveIterator.OfLong all = retained.iterator();
      for (long[] batch = HashSource.nextBatch(all, KEYS_PER_LOOK_UP);
          batch.length > 0;
          batch = HashSource.nextBatch(all, KEYS_PER_LOOK_UP)) {
        SourceKeys found = lookup.apply(batch);
        for (int i = 0; i < batch.length; i++) {
          if (found.before()[i] && found.lacking()[i]) {
            lacking.add(batch[i]);
          }
        }
      }
    }
    long[] candidates = HashBlocks.ascending(lacking.build().toArray());
    return new ForgottenKeys(counted(directory, filter, candidates, seen.seq()), seen);
  }

  /** Returns those that were answered "new" and not removed since. */
  private static long[] counted(
      FilterDirectory directory, FilterRecord filter, long[] candidates, long last) {
    if (candidates.length == 0) {
      return candidates;
    }
    BitSet decided = new BitSet(candidates.length);
    BitSet counted = new BitSet(candidates.length);
    forEach(
        after -> directory.askPatiently(tx -> Journal.held(tx, filter, after, last)),
        0,
        entry -> {
          boolean removes = entry.kind() == JournalEntry.Kind.REMOVE;
          if (removes || entry.kind().adds()) {
            for (long hash : entry.hashes()) {
              int place = Arrays.binarySearch(candidates, hash);
              if (place >= 0) {
                decided.set(place);
                counted.set(place, !removes);
              }
            }
          }
        });
    RemovedRows rows = new RemovedRows(Objects.requireNonNull(filter.removal()));
    for (int from = 0; from < candidates.length; from += KEYS_PER_READ) {
      long[] some =
          Arrays.copyOfRange(candidates, from, Math.min(candidates.length, from + KEYS_PER_READ));
      Set<Long> moved = directory.askPatiently(tx -> HashBlocks.holding(tx, filter, some));
      Set<Long> never = directory.askPatiently(tx -> rows.neverCounted(tx, some));
      for (int i = 0; i < some.length; i++) {
        if (!decided.get(from + i) && moved.contains(some[i]) && !never.contains(some[i])) {
          counted.set(from + i);
        }
      }
    }
    return counted.stream().mapToLong(place -> candidates[place]).toArray();
  }

  boolean isEmpty() {
    return hashes.length == 0;
  }

  /** Returns false if a failover lost the end of the journal at which they were counted. */
  boolean isUpToDate(Tx tx, FilterRecord filter) {
    return seen == null || Journal.holds(tx, filter.id(), seen);
  }

  /**
   * Counts those that no entry named since. Needs the lock of the head, and that they are {@link
   * #isUpToDate up to date}.
   */
  long count(Tx tx, FilterRecord filter) {
    long begun = Objects.requireNonNull(seen).seq();
    BitSet named = new BitSet(hashes.length);
    forEach(
        after -> Journal.next(tx, filter, JournalChain.after(filter.name(), after), Long.MAX_VALUE),
        begun,
        entry -> {
          for (long hash : entry.hashes()) {
            int place = Arrays.binarySearch(hashes, hash);
            if (place >= 0) {
              named.set(place);
            }
          }
        });
    return (long) hashes.length - named.cardinality();
  }

  private static void forEach(
      Function<Long, List<JournalEntry>> pageAfter, long after, Consumer<JournalEntry> sink) {
    List<JournalEntry> page = pageAfter.apply(after);
    while (!page.isEmpty()) {
      page.forEach(sink);
      page = pageAfter.apply(page.get(page.size() - 1).seq());
    }
  }
}
