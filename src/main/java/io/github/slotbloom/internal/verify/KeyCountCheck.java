package io.github.slotbloom.internal.verify;

import io.github.slotbloom.core.Sizing;
import io.github.slotbloom.internal.engine.RetriedTransactions;
import io.github.slotbloom.internal.store.catalog.FilterRecord;
import io.github.slotbloom.internal.store.journal.HashBlocks;
import io.github.slotbloom.internal.store.journal.JournalAudit;
import io.github.slotbloom.internal.store.journal.JournalEntry;
import io.github.slotbloom.internal.store.journal.StoredEntry;
import io.github.slotbloom.report.Check;
import io.github.slotbloom.report.Finding.Kind;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.LongStream;

/**
 * Checks that the number of added keys agrees with the recorded hashes.
 *
 * <p>Each key that is counted has its hash in an entry. A hash may be in more entries than one: a
 * repair writes hashes again without counting them, and a key that was lost may have been added,
 * and counted, again. So the count lies between the distinct hashes and all of them.
 */
record KeyCountCheck(
    RetriedTransactions transactions,
    FilterRecord filter,
    JournalCheck journal,
    RetainedHashCheck retained,
    Findings findings) {

  /** Hashes that are sorted in memory at most, as a part of the heap. */
  private static final int SHARE_OF_HEAP = 8;

  private static final long[] NONE = {};
  private static final long HELD = 1;
  private static final long REMOVED = -1;

  private static final String MEND =
      "Correct keys_added in row 0 of the filter in bloom_journal. It decides when the filter is full, and no answer"
          + " depends on it.";

  void run() {
    long counted = filter.head().keysAdded();
    if (counted > Sizing.MAX_CAPACITY) {
      damage(counted, "at most " + Sizing.MAX_CAPACITY + ", as many as a filter can be made for");
      return;
    }
    if (!journal.isSound()) {
      findings.unchecked(Check.KEY_COUNT, "The journal is damaged.");
      return;
    }
    boolean complete = journal.isComplete() && journal.countedSince() == 0;
    boolean exact = journal.isCountExact();
    if (filter.removable() && filter.head().countsDown()) {
      requireCountDown(counted, exact && complete);
    } else if (exact && complete && counted > journal.addedHashes()) {
      damage(
          counted, "at most " + journal.addedHashes() + ", the hashes of new keys in the journal");
    } else if (exact
        && filter.retainHashes()
        && retained.isSound()
        && counted > journal.addedHashes() + retained.hashes()) {
      findings.damage(
          Set.of(Ground.FILTER_ROW, Ground.RETAINED_HASHES),
          Kind.RETAINED_HASHES,
          journal.addedHashes() + retained.hashes() + " hashes in journal and blocks together",
          "at least " + counted + ", one for each key that was added",
          "Restore the bloom_ tables from one backup, or replace the filter from a source that has"
              + " all keys.");
    } else if (counted < journal.addedHashes()) {
      requireAtLeastDistinct(counted);
    }
    if (!exact) {
      findings.unchecked(
          Check.KEY_COUNT,
          "The filter was imported, or others were merged into it, so it cannot be seen"
              + " whether too many keys were counted.");
    } else if (journal.countedSince() > 0) {
      findings.unchecked(
          Check.KEY_COUNT,
          "The filter was built anew, so it cannot be seen whether too many keys were counted.");
    } else if (!complete) {
      findings.unchecked(
          Check.KEY_COUNT,
          "The journal does not go back to the beginning, so it cannot be seen whether too"
              + " many keys were counted.");
    }
    findings.checked(Check.KEY_COUNT, counted, "keys");
  }

  /**
   * Compares the count, from which removed keys are taken away, with the hashes that the journal
   * adds and does not remove. A hash that was added twice may have been counted twice.
   */
  private void requireCountDown(long counted, boolean all) {
    HashMarks marks = new HashMarks();
    long[] heldAndTwice = new long[2];
    forEachEntry(
        entry -> {
          for (long hash : entry.kind().adds() ? entry.hashes() : NONE) {
            boolean held = marks.put(hash, HELD) == HELD;
            heldAndTwice[held ? 1 : 0]++;
          }
          for (long hash : entry.kind() == JournalEntry.Kind.REMOVE ? entry.hashes() : NONE) {
            heldAndTwice[0] -= marks.put(hash, REMOVED) == HELD ? 1 : 0;
          }
        });
    long held = heldAndTwice[0];
    if (marks.isOverflowed()) {
      findings.unchecked(
          Check.KEY_COUNT, "The journal holds more hashes than can be told apart in memory.");
    } else if (counted < held) {
      damage(counted, "at least " + held + ", the hashes that the journal adds and never removes");
    } else if (all && counted > held + heldAndTwice[1]) {
      damage(
          counted,
          "at most "
              + (held + heldAndTwice[1])
              + ", the hashes of new keys in the journal that are not removed");
    }
  }

  private void requireAtLeastDistinct(long counted) {
    if (journal.addedHashes() > Runtime.getRuntime().maxMemory() / SHARE_OF_HEAP / Long.BYTES) {
      findings.unchecked(
          Check.KEY_COUNT,
          "The journal holds more hashes of new keys than were counted, too many to tell apart in"
              + " memory: a repair may have written some again.");
      return;
    }
    long distinct = distinct();
    if (counted < distinct) {
      damage(counted, "at least " + distinct + ", the distinct hashes of new keys in the journal");
    }
  }

  private long distinct() {
    LongStream.Builder all = LongStream.builder();
    forEachEntry(
        entry -> {
          if (entry.kind() == JournalEntry.Kind.ADD) {
            LongStream.of(entry.hashes()).forEach(all::add);
          }
        });
    return HashBlocks.ascending(all.build().toArray()).length;
  }

  private void forEachEntry(Consumer<JournalEntry> sink) {
    long reached = journal.countedSince();
    List<StoredEntry> page = page(reached);
    while (!page.isEmpty()) {
      for (StoredEntry stored : page) {
        if (stored.entry() != null) {
          sink.accept(stored.entry());
        }
        reached = stored.seq();
      }
      page = page(reached);
    }
  }

  private List<StoredEntry> page(long reached) {
    return transactions.attempt(
        tx -> JournalAudit.page(tx, filter, reached, filter.head().lastSeq()));
  }

  private void damage(long counted, String expected) {
    findings.damage(
        Set.of(Ground.FILTER_ROW), Kind.KEY_COUNT, "the keys_added " + counted, expected, MEND);
  }
}
