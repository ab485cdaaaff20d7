package io.github.slotbloom.internal.verify;

import io.github.slotbloom.error.CorruptFilterException;
import io.github.slotbloom.internal.engine.RetriedTransactions;
import io.github.slotbloom.internal.store.catalog.FilterRecord;
import io.github.slotbloom.internal.store.journal.HashBlock;
import io.github.slotbloom.internal.store.journal.HashBlocks;
import io.github.slotbloom.report.Check;
import io.github.slotbloom.report.Finding;
import io.github.slotbloom.report.Finding.Kind;
import io.github.slotbloom.report.Finding.Severity;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Checks that the retained hashes are in order and members of the filter. Read after the journal: a
 * hash that is moved meanwhile is met there, or here, or twice. Not thread-safe.
 */
final class RetainedHashCheck {

  private final RetriedTransactions transactions;
  private final FilterRecord filter;
  private final HashLookup lookup;
  private final Findings findings;
  private final @Nullable RemovedInBlocks removed;
  private long hashes;
  private boolean sound = true;

  /**
   * @param removed looks for removed hashes; null if there can be none, or they cannot be read
   */
  RetainedHashCheck(
      RetriedTransactions transactions,
      FilterRecord filter,
      HashLookup lookup,
      @Nullable RemovedInBlocks removed,
      Findings findings) {
    this.transactions = transactions;
    this.filter = filter;
    this.lookup = lookup;
    this.removed = removed;
    this.findings = findings;
  }

  /**
   * @param progress hears how many hashes are read
   */
  void run(LongConsumer progress) {
    if (!filter.retainHashes()) {
      return;
    }
    try {
      List<HashBlock> page = transactions.attempt(tx -> HashBlocks.page(tx, filter, null));
      while (!page.isEmpty()) {
        page.forEach(this::take);
        progress.accept(hashes);
        long after = page.get(page.size() - 1).first();
        page = transactions.attempt(tx -> HashBlocks.page(tx, filter, after));
      }
      if (removed != null) {
        for (long hash : removed.stillThere()) {
          damage(
              Set.of(),
              "the hash " + SlotTableCheck.hex(hash) + " of a removed key",
              "no hash that is removed by an entry that has left the journal",
              "The key comes back if the filter is built anew from its own journal. Add the key, and"
                  + " remove it again.");
        }
      }
    } catch (CorruptFilterException e) {
      sound = false;
      damage(
          Set.of(Ground.RETAINED_HASHES),
          Objects.requireNonNullElse(e.getMessage(), e.toString()),
          "distinct hashes in ascending order, from the lowest number on",
          "Restore the bloom_ tables from one backup. Until then the filter answers as before, but"
              + " cannot be replaced from its journal.");
    }
    findings.checked(Check.RETAINED_HASHES, hashes, "hashes");
  }

  private void damage(Set<Ground> doubts, String found, String expected, String remedy) {
    findings.add(
        doubts,
        new Finding(
            Severity.DAMAGE,
            Kind.RETAINED_HASHES,
            "bloom_hash_block",
            null,
            null,
            null,
            found,
            expected,
            remedy));
  }

  private void take(HashBlock block) {
    if (removed != null) {
      removed.take(block);
    }
    hashes += block.hashes().length;
    lookup.requireAnywhere(block.hashes(), 0);
  }

  /** Hashes in all blocks. */
  long hashes() {
    return hashes;
  }

  /** Returns true if all of them could be read. */
  boolean isSound() {
    return sound;
  }
}
