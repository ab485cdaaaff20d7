package io.github.slotbloom.internal.verify;

import io.github.slotbloom.internal.bits.Probe;
import io.github.slotbloom.internal.context.FollowedFilter;
import io.github.slotbloom.internal.context.RetriedTransactions;
import io.github.slotbloom.internal.engine.FilterEngines;
import io.github.slotbloom.internal.mirror.FilterNotReady;
import io.github.slotbloom.internal.store.catalog.HeadLock;
import io.github.slotbloom.internal.store.filter.Cursor;
import io.github.slotbloom.internal.store.filter.FilterHead;
import io.github.slotbloom.internal.store.filter.FilterRecord;
import io.github.slotbloom.internal.store.filter.FilterState;
import io.github.slotbloom.internal.store.filter.GenerationRecord;
import io.github.slotbloom.internal.store.filter.KeyCounts;
import io.github.slotbloom.internal.store.journal.FoldRows;
import io.github.slotbloom.internal.store.journal.FoldState;
import io.github.slotbloom.internal.store.journal.HashBlocks;
import io.github.slotbloom.internal.store.journal.Journal;
import io.github.slotbloom.internal.store.journal.JournalAppend;
import io.github.slotbloom.internal.store.journal.JournalEntry;
import io.github.slotbloom.internal.store.journal.JournalEntry.Kind;
import io.github.slotbloom.internal.store.session.Tx;
import io.github.slotbloom.internal.store.slots.MergedBits;
import io.github.slotbloom.internal.store.slots.RemovedRows;
import io.github.slotbloom.internal.store.slots.SlotMasks;
import io.github.slotbloom.internal.store.slots.SlotRows;
import io.github.slotbloom.internal.store.slots.SlotTableAudit;
import io.github.slotbloom.internal.verify.RemovedKeysCheck.Fault;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.function.LongPredicate;
import java.util.function.Predicate;
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

  private final FilterEngines engines;
  private final RetriedTransactions transactions;
  private final FilterRecord filter;
  private final FollowedFilter followed;
  private final List<String> done = new ArrayList<>();

  Repair(FilterEngines engines, RetriedTransactions transactions, FilterRecord filter) {
    this.engines = engines;
    this.followed = new FollowedFilter(filter);
    this.transactions = transactions;
    this.filter = filter;
  }

  /** Says what was mended, in sentences. */
  List<String> done() {
    return done;
  }

  /** Takes away what lies beyond the bit arrays. */
  void takeAwayBeyond() {
    for (GenerationRecord generation : filter.manifest().all()) {
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
      if (inTurn(audit::clearExcess) > 0) {
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
    List<GenerationRecord> generations = filter.manifest().all();
    for (int place = 0; place < generations.size(); place++) {
      long[] lost = lookup.in(place).lost.hashesOf(wantedSeqs).toArray();
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
          "Nothing was appended to the journal: processes that have the filter open get the"
              + " repaired bits only when they reopen it.");
      return;
    }
    if (filter.window() == null) {
      for (int from = 0; from < lost.length; from += HASHES_PER_TRANSACTION) {
        appendMembers(
            Arrays.copyOfRange(lost, from, Math.min(lost.length, from + HASHES_PER_TRANSACTION)));
      }
    } else {
      for (int place = 0; place < generations.size(); place++) {
        appendBits(generations.get(place), lookup.in(place).lost.hashesOf(wantedSeqs).toArray());
      }
    }
    fold();
    done.add(
        ("The bits of %s hashes were written to the journal once more, not counted, and folded: so"
                + " every process that has the filter open gets them.")
            .formatted(lost.length));
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

  /**
   * Brings rows of the removed hashes in line with the journal: what its newest entry says of each
   * hash is written to the journal once more, and folded.
   */
  void setRemoved(List<Fault> faults, long verifiedSeq) {
    RemovalHistory later = new RemovalHistory();
    long[] reached = {verifiedSeq};
    transactions.run(
        tx -> readOn(tx, reached, followed.requireUnchanged(tx).head().lastSeq(), later));
    deleteFromFuture(faults);
    long changed = 0;
    for (int from = 0; from < faults.size(); from += HASHES_PER_TRANSACTION) {
      List<Fault> part =
          faults.subList(from, Math.min(faults.size(), from + HASHES_PER_TRANSACTION));
      changed += appendRemoved(part, reached, later);
    }
    if (changed == 0) {
      return;
    }
    fold();
    done.add(
        changed
            + " removed hashes were corrected to match the journal, by entries that count"
            + " nothing.");
  }

  /** Deletes the rows that an entry of the journal would not replace, as theirs is a later one. */
  private void deleteFromFuture(List<Fault> faults) {
    RemovedRows table = new RemovedRows(filter);
    Map<Long, Long> future = new HashMap<>();
    for (Fault fault : faults) {
      if (fault.row() != null && fault.row() > fault.newest() && fault.newest() > 0) {
        future.put(fault.hash(), fault.row());
      }
    }
    long[] hashes = future.keySet().stream().mapToLong(hash -> hash).toArray();
    inTurn(
        tx -> {
          List<Long> wrong = new ArrayList<>();
          table.read(
              tx,
              hashes,
              (hash, seq) -> {
                if (Objects.equals(future.get(hash), seq)) {
                  wrong.add(hash);
                }
              });
          table.delete(tx, wrong);
          return wrong.size();
        });
  }

  private int appendRemoved(List<Fault> part, long[] reached, RemovalHistory later) {
    return append(
        (tx, head) -> {
          readOn(tx, reached, head.lastSeq(), later);
          List<JournalEntry> entries =
              new ArrayList<>(
                  Journal.chain(
                      head.end(),
                      Kind.REMOVE,
                      unchanged(part, later, fault -> fault.newest() > 0)));
          Cursor end = entries.isEmpty() ? head.end() : entries.get(entries.size() - 1).cursor();
          long[] back = unchanged(part, later, fault -> fault.newest() < 0);
          entries.addAll(Journal.chain(end, Kind.RETURN, back));
          return entries;
        });
  }

  /** Returns the wanted hashes of which no later entry tells. */
  private static long[] unchanged(
      List<Fault> faults, RemovalHistory later, Predicate<Fault> wanted) {
    return faults.stream()
        .filter(wanted)
        .mapToLong(Fault::hash)
        .filter(hash -> later.newest(hash) == 0)
        .toArray();
  }

  private void readOn(Tx tx, long[] reached, long last, RemovalHistory history) {
    List<JournalEntry> entries = Journal.held(tx, filter, reached[0], last);
    while (!entries.isEmpty()) {
      entries.forEach(history::take);
      reached[0] = entries.get(entries.size() - 1).seq();
      entries = Journal.held(tx, filter, reached[0], last);
    }
  }

  /** Runs work in a transaction that has the lock of the fold row, as all do that write slots. */
  private int inTurn(ToIntFunction<Tx> work) {
    return transactions.ask(
        tx -> {
          Optional<FoldState> state = FoldRows.lock(tx, followed.id());
          FilterRecord now = followed.requireUnchanged(tx);
          boolean same =
              state.isPresent() && now.head().state() == FilterState.ACTIVE && areIn(now);
          return same ? work.applyAsInt(tx) : 0;
        });
  }

  private boolean isAsVerified(FilterRecord now) {
    return now.manifest().target() == null && areIn(now);
  }

  private boolean areIn(FilterRecord now) {
    return filter.manifest().all().stream()
        .allMatch(verified -> now.manifest().all().stream().anyMatch(verified::isSameAs));
  }

  private void fold() {
    engines.folder(filter).foldAll();
  }

  private void appendMembers(long[] hashes) {
    append(
        (tx, head) -> {
          // An entry with a removed hash would say that the key was added again.
          long[] members = engines.tables(filter).notRemovedUnderLock(tx, hashes);
          return Journal.chain(head.end(), Kind.ADD, members);
        });
  }

  /**
   * Appends entries that count nothing, under the lock of all that append, unless the filter is not
   * as it was verified. A replacement would take them for keys that were added meanwhile.
   *
   * @return how many hashes they have
   */
  private int append(BiFunction<Tx, FilterHead, List<JournalEntry>> wanted) {
    return transactions.ask(
        tx -> {
          FilterHead head =
              HeadLock.takeOnAllServers(tx, filter).orElseThrow(() -> FilterNotReady.gone(filter));
          boolean asVerified =
              head.state() == FilterState.ACTIVE && isAsVerified(followed.requireUnchanged(tx));
          List<JournalEntry> entries = asVerified ? wanted.apply(tx, head) : List.of();
          if (!entries.isEmpty()) {
            // No caller is told that these keys are new.
            JournalAppend.append(tx, followed.id(), entries, KeyCounts.NONE);
          }
          return entries.stream().mapToInt(entry -> entry.hashes().length).sum();
        });
  }

  /**
   * Appends the bits of hashes for one generation. In an entry of new keys they would go to the
   * newest bucket, and live longer.
   */
  private void appendBits(GenerationRecord generation, long[] hashes) {
    for (MergedBits bits : MergedBits.ofHashes(generation, hashes)) {
      append(
          (tx, head) -> {
            boolean inUse =
                followed.requireUnchanged(tx).generations().stream().anyMatch(generation::isSameAs);
            return inUse ? Journal.chain(head.end(), List.of(bits)) : List.of();
          });
    }
  }
}
