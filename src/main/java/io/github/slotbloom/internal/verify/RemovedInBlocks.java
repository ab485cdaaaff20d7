package io.github.slotbloom.internal.verify;

import io.github.slotbloom.internal.engine.RetriedTransactions;
import io.github.slotbloom.internal.store.RemovedRows;
import io.github.slotbloom.internal.store.catalog.FilterRecord;
import io.github.slotbloom.internal.store.catalog.RemovalRecord;
import io.github.slotbloom.internal.store.journal.HashBlock;
import io.github.slotbloom.internal.store.journal.HashBlocks;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Finds retained hashes that are removed, by walking along the blocks and the table of the removed
 * hashes, which have the same order. A hash may be in a block as long as the journal holds the
 * entry that removed it. Not thread-safe.
 */
final class RemovedInBlocks {

  private static final int MOST = 1 << 12;

  private final RetriedTransactions transactions;
  private final FilterRecord filter;
  private final RemovedRows table;
  private final long since;
  private final long before;
  private final List<Long> found = new ArrayList<>();
  private long[] page = {};
  private int next;
  private boolean begun;
  private long reached;
  private boolean atEnd;

  /**
   * @param before number of the oldest entry of the journal
   */
  RemovedInBlocks(
      RetriedTransactions transactions, FilterRecord filter, RemovalRecord removal, long before) {
    this.transactions = transactions;
    this.filter = filter;
    this.table = new RemovedRows(removal);
    this.since = filter.set().removedAfter();
    this.before = before;
  }

  /** Looks into the next block. */
  void take(HashBlock block) {
    for (long hash : block.hashes()) {
      while (isBefore(hash)) {
        next++;
      }
      if (!atEnd && page[next] == hash && found.size() < MOST) {
        found.add(hash);
      }
    }
  }

  private boolean isBefore(long hash) {
    while (next == page.length && !atEnd) {
      readPage();
    }
    return !atEnd && page[next] < hash;
  }

  private void readPage() {
    List<Long> hashes = new ArrayList<>();
    Optional<Long> last =
        transactions.attempt(
            tx -> {
              // It may be another attempt.
              hashes.clear();
              return Optional.ofNullable(
                  table.page(
                      tx,
                      begun ? reached : null,
                      (hash, seq) -> {
                        if (isOver(seq)) {
                          hashes.add(hash);
                        }
                      }));
            });
    begun = true;
    atEnd = last.isEmpty();
    reached = last.orElse(reached);
    page = hashes.stream().mapToLong(hash -> hash).toArray();
    next = 0;
  }

  /** Returns true for the row of a removed hash whose entry has left the journal. */
  private boolean isOver(long seq) {
    return seq > since && seq < before;
  }

  /**
   * Returns the hashes that are found, as far as they still are so: one that came back meanwhile is
   * not in the table anymore.
   */
  long[] stillThere() {
    long[] hashes = found.stream().mapToLong(hash -> hash).toArray();
    List<Long> removed = new ArrayList<>();
    transactions.run(
        tx -> {
          removed.clear();
          table.read(
              tx,
              hashes,
              (hash, seq) -> {
                if (isOver(seq)) {
                  removed.add(hash);
                }
              });
        });
    return removed.stream()
        .mapToLong(hash -> hash)
        .filter(hash -> transactions.attempt(tx -> HashBlocks.holds(tx, filter, hash)))
        .toArray();
  }
}
