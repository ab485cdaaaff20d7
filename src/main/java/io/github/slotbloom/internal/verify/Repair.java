package io.github.slotbloom.internal.verify;

import io.github.slotbloom.internal.add.Backlog;
import io.github.slotbloom.internal.bits.Probe;
import io.github.slotbloom.internal.engine.FilterContext;
import io.github.slotbloom.internal.engine.RetriedTransactions;
import io.github.slotbloom.internal.fold.Folder;
import io.github.slotbloom.internal.mirror.FilterNotReady;
import io.github.slotbloom.internal.store.Tokens;
import io.github.slotbloom.internal.store.Tx;
import io.github.slotbloom.internal.store.catalog.Catalog;
import io.github.slotbloom.internal.store.catalog.FilterHead;
import io.github.slotbloom.internal.store.catalog.FilterRecord;
import io.github.slotbloom.internal.store.catalog.FilterState;
import io.github.slotbloom.internal.store.catalog.GenerationRecord;
import io.github.slotbloom.internal.store.journal.FoldRows;
import io.github.slotbloom.internal.store.journal.FoldState;
import io.github.slotbloom.internal.store.journal.HashBlocks;
import io.github.slotbloom.internal.store.journal.Journal;
import io.github.slotbloom.internal.store.journal.JournalAppend;
import io.github.slotbloom.internal.store.journal.JournalEntry.Kind;
import io.github.slotbloom.internal.store.slots.SlotMasks;
import io.github.slotbloom.internal.store.slots.SlotRows;
import io.github.slotbloom.internal.store.slots.SlotTableAudit;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.LongPredicate;
import java.util.function.ToIntFunction;

/**
 * Mends what needs no guess: bits that a recorded hash needs are set again, and what lies beyond a
 * bit array is taken away. Nothing of the journal is changed, only appended to.
 *
 * <p>Setting the bits is not enough: a process that read the slots after they were lost lacks them
 * in its memory, and would never look again. So the hashes also go to the end of the journal once
 * more, as new keys that are not counted, which everyone reads and folds. Not thread-safe.
 */
final class Repair {

  private static final int ROWS_PER_TRANSACTION = 10_000;

  /** A few milliseconds under the lock that everyone who adds waits for. */
  private static final int HASHES_PER_TRANSACTION = 1024;

  private final FilterContext context;
  private final RetriedTransactions transactions;
  private final FilterRecord filter;
  private final List<String> done = new ArrayList<>();

  Repair(FilterContext context, RetriedTransactions transactions, FilterRecord filter) {
    this.context = context;
    this.transactions = transactions;
    this.filter = filter;
  }

  /** Says what was mended, in sentences. */
  List<String> done() {
    return done;
  }

  /** Takes away what lies beyond the bit arrays. */
  void takeAwayBeyond() {
    for (GenerationRecord generation : filter.set().all()) {
      SlotTableAudit audit = new SlotTableAudit(generation);
      long deleted = 0;
      int rows;
      do {
        rows = inTurn(tx -> audit.deleteBeyond(tx, ROWS_PER_TRANSACTION));
        deleted += rows;
      } while (rows == ROWS_PER_TRANSACTION);
      if (deleted > 0) {
        done.add(
            deleted + " rows beyond the last slot of " + generation.slotTable() + " were deleted.");
      }
      boolean excess =
          inTurn(
                  tx -> {
                    if (audit.excessBits(tx) == 0) {
                      return 0;
                    }
                    audit.clearExcess(tx);
                    return 1;
                  })
              > 0;
      if (excess) {
        done.add(
            "The bits beyond the last one in the last slot of "
                + generation.slotTable()
                + " were cleared.");
      }
    }
  }

  /**
   * Sets the bits of hashes again.
   *
   * @param wantedSeqs of which entries
   * @param appending whether the journal can be appended to and folded
   */
  void setAgain(HashLookup lookup, LongPredicate wantedSeqs, boolean appending) {
    List<GenerationRecord> generations = filter.set().all();
    for (int place = 0; place < generations.size(); place++) {
      long[] lost = lookup.lost(place).hashesOf(wantedSeqs).toArray();
      if (lost.length > 0) {
        setAgain(generations.get(place), lost);
      }
    }
    long[] lost = HashBlocks.ascending(lookup.allLost(wantedSeqs).toArray());
    if (lost.length == 0) {
      return;
    }
    if (!appending) {
      done.add(
          "Nothing was appended to the journal: processes that have the filter open do not"
              + " have the repaired bits until they open it again.");
      return;
    }
    for (int from = 0; from < lost.length; from += HASHES_PER_TRANSACTION) {
      append(Arrays.copyOfRange(lost, from, Math.min(lost.length, from + HASHES_PER_TRANSACTION)));
    }
    new Folder(context, new Backlog(Long.MAX_VALUE)).foldAll(transactions.timeout());
    done.add(
        lost.length
            + " hashes were written to the journal once more, not counted, and folded: so every"
            + " process that has the filter open gets their bits.");
  }

  private void setAgain(GenerationRecord generation, long[] hashes) {
    SlotMasks masks = new SlotMasks();
    Probe.of(generation.parameters()).forEachMask(hashes, masks);
    SlotRows rows = new SlotRows(generation);
    long[] slots = masks.sortedSlots();
    for (int from = 0; from < slots.length; from += ROWS_PER_TRANSACTION) {
      long[] part =
          Arrays.copyOfRange(slots, from, Math.min(slots.length, from + ROWS_PER_TRANSACTION));
      inTurn(
          tx -> {
            rows.or(tx, masks, part);
            return part.length;
          });
    }
    done.add(
        "The bits of %s recorded hashes were set again in %s."
            .formatted(hashes.length, generation.slotTable()));
  }

  /** Runs work in a transaction that has the lock of the fold row, as all do that write slots. */
  private int inTurn(ToIntFunction<Tx> work) {
    return transactions.attempt(
        tx -> {
          Optional<FoldState> state = FoldRows.lock(tx, context.id());
          FilterRecord now = context.requireUnchanged(tx);
          boolean same =
              state.isPresent()
                  && state.get().epoch() == filter.head().epoch()
                  && now.head().state() == FilterState.ACTIVE
                  && now.set().all().containsAll(filter.set().all());
          return same ? work.applyAsInt(tx) : 0;
        });
  }

  private void append(long[] hashes) {
    transactions.run(
        tx -> {
          FilterHead head =
              Catalog.lockHead(tx, filter).orElseThrow(() -> FilterNotReady.gone(filter.name()));
          // A replacement would take them for keys that were added meanwhile.
          if (head.state() == FilterState.ACTIVE
              && head.epoch() == filter.head().epoch()
              && context.requireUnchanged(tx).set().target() == null) {
            JournalAppend.appendAgain(
                tx, context.id(), Journal.chain(head.end(), Kind.ADD, hashes, Tokens::next));
          }
        });
  }
}
