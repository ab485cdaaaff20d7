package io.github.slotbloom.internal.verify;

import io.github.slotbloom.error.CorruptFilterException;
import io.github.slotbloom.internal.store.filter.FilterRecord;
import io.github.slotbloom.internal.store.journal.HashBlock;
import io.github.slotbloom.internal.store.journal.HashBlocks;
import io.github.slotbloom.internal.verify.Findings.Place;
import io.github.slotbloom.report.Check;
import io.github.slotbloom.report.Finding.Kind;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.function.LongConsumer;

/**
 * Checks that the retained hashes are in order and members of the filter. Read after the journal: a
 * hash that is moved meanwhile is met there, or here, or twice. Not thread-safe.
 */
final class RetainedHashCheck {

  /** Removed hashes that are told of at most. */
  private static final int MOST_REMOVED = 1 << 12;

  private final FilterUnderVerification observed;
  private final Findings findings;
  private final FilterRecord filter;
  private final JournalCheck journal;
  private final HashLookup lookup;
  private final RemovedKeysCheck removed;

  /**
   * Hashes that may be in a block only as long as the journal holds the entry that removed them.
   */
  private final long[] older;

  private final List<Long> found = new ArrayList<>();
  private long hashes;

  RetainedHashCheck(
      FilterUnderVerification observed,
      JournalCheck journal,
      HashLookup lookup,
      RemovedKeysCheck removed,
      Findings findings) {
    this.findings = findings;
    this.observed = observed;
    filter = observed.filter();
    this.journal = journal;
    this.lookup = lookup;
    this.removed = removed;
    older = removed.olderThanTheJournal().hashes();
  }

  /**
   * @param progress hears how many hashes are read
   */
  void run(LongConsumer progress) {
    if (!filter.retainHashes()) {
      return;
    }
    try {
      List<HashBlock> page = observed.ask(tx -> HashBlocks.page(tx, filter, null));
      while (!page.isEmpty()) {
        page.forEach(this::take);
        progress.accept(hashes);
        long after = page.get(page.size() - 1).first();
        page = observed.ask(tx -> HashBlocks.page(tx, filter, after));
      }
      tellRemoved();
      requireAll();
    } catch (CorruptFilterException e) {
      damage(
          Objects.requireNonNullElse(e.getMessage(), e.toString()),
          "distinct hashes in ascending order, from the lowest number on",
          "Restore the bloom_ tables from one backup. Until then the filter answers as before, but"
              + " cannot be replaced from its journal.");
    }
    findings.checked(Check.RETAINED_HASHES, hashes, "hashes");
  }

  /** Looks again: one that came back meanwhile is not removed anymore. */
  private void tellRemoved() {
    if (removed.olderThanTheJournal().overflow() > 0) {
      findings.unchecked(
          Check.RETAINED_HASHES,
          "More hashes are removed than fit into memory, so not all of them were looked up among"
              + " the retained hashes.");
    }
    if (found.isEmpty()) {
      return;
    }
    for (long hash : removed.stillRemoved(found.stream().mapToLong(hash -> hash).toArray())) {
      if (observed.ask(tx -> HashBlocks.holds(tx, filter, hash))) {
        damage(
            "the hash " + SlotTableCheck.hex(hash) + " of a removed key",
            "no hash that is removed by an entry that has left the journal",
            "The key comes back if the filter is rebuilt from its own journal. Add the key, and"
                + " remove it again.");
      }
    }
  }

  private void damage(String found, String expected, String remedy) {
    findings.damage(Kind.RETAINED_HASHES, Place.table("bloom_hash_block"), found, expected, remedy);
  }

  private void take(HashBlock block) {
    for (long hash : block.hashes()) {
      if (found.size() < MOST_REMOVED && Arrays.binarySearch(older, hash) >= 0) {
        found.add(hash);
      }
    }
    hashes += block.hashes().length;
    lookup.requireAnywhere(block.hashes(), 0);
  }

  /** Each key that is counted has its hash in an entry, or in a block. */
  private void requireAll() {
    long counted = filter.head().keysAdded();
    long held = journal.addedHashes() + hashes;
    if (journal.isSound() && journal.isCountExact() && !filter.removable() && counted > held) {
      damage(
          held + " hashes in journal and blocks together",
          "at least " + counted + ", one for each key that was added",
          "Restore the bloom_ tables from one backup, or replace the filter from a source that has"
              + " all keys.");
    }
  }
}
