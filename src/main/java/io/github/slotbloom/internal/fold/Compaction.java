package io.github.slotbloom.internal.fold;

import static java.util.stream.Collectors.toSet;

import io.github.slotbloom.internal.context.FollowedFilter;
import io.github.slotbloom.internal.store.Tokens;
import io.github.slotbloom.internal.store.filter.FilterRecord;
import io.github.slotbloom.internal.store.filter.FilterState;
import io.github.slotbloom.internal.store.journal.FoldRows;
import io.github.slotbloom.internal.store.journal.FoldState;
import io.github.slotbloom.internal.store.journal.HashBlocks;
import io.github.slotbloom.internal.store.journal.Journal;
import io.github.slotbloom.internal.store.journal.JournalChain;
import io.github.slotbloom.internal.store.journal.JournalEntry;
import io.github.slotbloom.internal.store.journal.JournalTrimming;
import io.github.slotbloom.internal.store.journal.OldEntries;
import io.github.slotbloom.internal.store.session.DatabaseFailure;
import io.github.slotbloom.internal.store.session.Transactions;
import io.github.slotbloom.internal.store.session.Tx;
import io.github.slotbloom.internal.store.slots.RemovedRows;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.Function;
import java.util.function.LongPredicate;

/**
 * Trims the journal of a filter that retains the hashes of its keys, by moving the hashes into
 * retained blocks.
 *
 * <p>The hashes of many entries are taken together. Each transaction merges them into some blocks,
 * and the entries are deleted only after the last merge. So no transaction is long, no matter how
 * many blocks there are, and at each commit every hash is in a block, in the journal, or in both.
 * Each merge leaves a token in the fold row, and the next step continues only from the token of the
 * step before: a failover that kept the entries may have lost a merge. If the work breaks off, the
 * next process starts it again. Merging hashes that are there already writes nothing.
 */
final class Compaction {

  private static final long[] NO_HASHES = {};

  /** The token of a batch of which nothing is merged yet. */
  private static final long NONE_MERGED = 0;

  /** The largest number of hashes that are merged together; 8 MiB. */
  private static final int MOST_HASHES = 1 << 20;

  /** The largest number of entries that are moved together, if they are small. */
  private static final int MOST_ROWS = 200_000;

  private static final int ROWS_PER_TRANSACTION = 1000;

  /** The bytes that an entry takes in its table in addition to its payload. */
  private static final int BYTES_OF_ROW = 64;

  /**
   * The number of journal bytes that are worth rewriting one block. Hashes are spread evenly, so
   * even a few of them touch every block. Rewriting a block took 8 ms on two busy cores. With an
   * eighth of a full block for each, that is 8 us per hash for hashes that came together, and 70 us
   * for one that came alone, twice what folding it takes. In return, the journal may be an eighth
   * as large as the blocks, however old its entries are: no block is rewritten because of age.
   */
  private static final long BYTES_WORTH_A_BLOCK = 8 * 1024;

  private static final long BYTES_WORTH_A_RUN = 64 * 1024;

  /**
   * The entries that are moved together.
   *
   * @param chain the journal chain of the entries that were taken
   * @param rows the number of entries; zero if there is nothing to do
   * @param hashes the hashes that are held by them, ascending and distinct
   * @param gone the hashes that are removed by them, ascending and distinct
   * @param neverAdded those of the held hashes that none of them shows as answered "new", ascending
   * @param everRemoved the hashes that any of them removed
   * @param begins the entry that had cleared the filter before
   */
  @SuppressWarnings("ArrayRecordComponent") // the array is never compared
  private record Batch(
      JournalChain chain,
      int rows,
      long[] hashes,
      long[] gone,
      long[] neverAdded,
      long[] everRemoved,
      long begins) {

    static Batch nothing(JournalChain chain) {
      return new Batch(chain, 0, NO_HASHES, NO_HASHES, NO_HASHES, NO_HASHES, 0);
    }
  }

  private final FollowedFilter followed;
  private final Transactions transactions;

  Compaction(FollowedFilter followed, Transactions transactions) {
    this.followed = followed;
    this.transactions = transactions;
  }

  /**
   * Moves the entries that may be moved, if it is worth it.
   *
   * @return false if others who work on the filter got in the way
   */
  boolean run() {
    try {
      if (followed.now().manifest().begins() > 0) {
        // What is known may be of a clear that a failover or a restore undid.
        HashBlocks.deleteAllBefore(
            transactions, followed.id(), tx -> followed.requireUnchanged(tx).manifest().begins());
      }
      Optional<Batch> batch = take();
      while (batch.isPresent() && batch.get().rows() > 0) {
        OptionalLong merged = change(batch.get());
        if (merged.isEmpty() || !delete(batch.get(), merged.getAsLong())) {
          return false;
        }
        batch = take();
      }
      return batch.isPresent();
    } catch (DatabaseFailure e) {
      if (e.lockWaitTimeout()) {
        return false;
      }
      throw e;
    }
  }

  /**
   * Returns true if entries may leave the journal. Called under the lock of the fold row, under
   * which no clear and no drop begins. Entries stay while the filter is replaced, since the
   * replacement may come from the journal: a process that continues it skips the hashes that were
   * replayed before by their number.
   */
  private static boolean mayMove(FilterRecord filter) {
    return filter.head().state() == FilterState.ACTIVE && filter.manifest().target() == null;
  }

  /** Returns nothing while another process folds. */
  private Optional<Batch> take() {
    return transactions.ask(
        tx -> FoldRows.tryLock(tx, followed.id()).map(state -> take(tx, state)));
  }

  private Batch take(Tx tx, FoldState state) {
    FilterRecord filter = followed.requireUnchanged(tx);
    JournalChain chain = JournalChain.after(filter.name(), 0);
    if (!mayMove(filter)) {
      return Batch.nothing(chain);
    }
    OldEntries old =
        JournalTrimming.old(
            tx, filter, state.foldedSeq(), MOST_ROWS, MOST_HASHES * (long) Long.BYTES);
    long begins = filter.manifest().begins();
    // Until then each look-up of a retained hash reads the whole journal.
    boolean ofBefore =
        old.first() <= (filter.removable() ? filter.manifest().removedAfter() : begins);
    if (old.rows() == 0 || !(ofBefore || isWorthIt(tx, filter, old))) {
      return Batch.nothing(chain);
    }
    chain = JournalChain.after(filter.name(), old.first() - 1);
    NewestHashes newest =
        new NewestHashes(
            (int) (old.payloadBytes() / Long.BYTES), filter.removable() && countsEach(filter));
    while (chain.seq() < old.last()) {
      List<JournalEntry> entries = Journal.next(tx, filter, chain, old.last());
      if (entries.isEmpty()) {
        throw chain.lacksNext();
      }
      entries.stream().filter(entry -> entry.seq() > begins).forEach(newest::take);
    }
    return new Batch(
        chain,
        old.rows(),
        newest.held(),
        newest.gone(),
        newest.neverAdded(),
        newest.everRemoved(),
        begins);
  }

  /** The keys of a filter that was merged into another one are counted by their bits. */
  private static boolean countsEach(FilterRecord filter) {
    return !filter.head().merged();
  }

  private boolean isWorthIt(Tx tx, FilterRecord filter, OldEntries old) {
    long bytes = old.payloadBytes() + (long) old.rows() * BYTES_OF_ROW;
    long blocks = HashBlocks.count(tx, filter);
    return old.more() || bytes >= Math.max(BYTES_WORTH_A_RUN, blocks * BYTES_WORTH_A_BLOCK);
  }

  /** Writes to the blocks, as {@link HashBlocks#merge} does. */
  private interface BlockWrite {
    int write(Tx tx, FilterRecord filter, long[] hashes, int from);
  }

  /** Returns the token of the last change of blocks, or nothing if others got in the way. */
  private OptionalLong change(Batch batch) {
    if (!followed.now().removable()) {
      return change(batch, batch.hashes(), NONE_MERGED, HashBlocks::merge);
    }
    RemovedRows rows = new RemovedRows(followed.now());
    Set<Long> neverAdded = Arrays.stream(batch.neverAdded()).boxed().collect(toSet());
    OptionalLong merged =
        change(
            batch,
            batch.hashes(),
            NONE_MERGED,
            (tx, filter, hashes, from) ->
                HashBlocks.merge(
                    tx,
                    filter,
                    hashes,
                    from,
                    added ->
                        rows.putNeverCounted(
                            tx,
                            Arrays.stream(added).filter(neverAdded::contains).toArray(),
                            filter.manifest().removedAfter())));
    if (merged.isEmpty()) {
      return merged;
    }
    // Those that returned were counted then, and those that only seem to be back were not.
    OptionalLong counted =
        change(
            batch,
            batch.everRemoved(),
            merged.getAsLong(),
            (tx, filter, hashes, from) -> {
              LongPredicate never = neverAdded::contains;
              rows.deleteNeverCounted(tx, Arrays.stream(hashes).filter(never.negate()).toArray());
              rows.putNeverCounted(
                  tx,
                  Arrays.stream(hashes).filter(never).toArray(),
                  filter.manifest().removedAfter());
              return hashes.length;
            });
    return counted.isEmpty()
        ? counted
        : change(batch, batch.gone(), counted.getAsLong(), HashBlocks::remove);
  }

  private OptionalLong change(Batch batch, long[] hashes, long tokenBefore, BlockWrite blocks) {
    int done = 0;
    long lastToken = tokenBefore;
    while (done < hashes.length) {
      int from = done;
      long token = Tokens.next();
      Optional<Integer> next =
          inTurn(
              batch,
              lastToken,
              tx -> {
                FoldRows.merged(tx, followed.id(), token);
                return blocks.write(tx, followed.now(), hashes, from);
              });
      if (next.isEmpty()) {
        return OptionalLong.empty();
      }
      done = next.get();
      lastToken = token;
    }
    return OptionalLong.of(lastToken);
  }

  private boolean delete(Batch batch, long mergeToken) {
    int left = batch.rows();
    while (left > 0) {
      int limit = Math.min(left, ROWS_PER_TRANSACTION);
      Optional<Integer> deleted =
          inTurn(
              batch,
              mergeToken,
              tx ->
                  JournalTrimming.deleteBefore(tx, followed.id(), batch.chain().seq() + 1, limit));
      if (deleted.isEmpty() || deleted.get() < limit) {
        return false;
      }
      left -= limit;
    }
    return true;
  }

  /**
   * Runs work in a transaction of its own that has the lock of the fold row. Does not run it if the
   * entries are no longer those that the batch was taken from, or if merged hashes may be lost.
   *
   * @param mergeToken the token of the merge before
   */
  private Optional<Integer> inTurn(Batch batch, long mergeToken, Function<Tx, Integer> work) {
    return transactions.ask(
        tx ->
            FoldRows.lock(tx, followed.id())
                .filter(state -> mayMove(followed.requireUnchanged(tx)))
                .filter(state -> followed.now().manifest().begins() == batch.begins())
                .filter(state -> Journal.holdsEndOf(tx, followed.id(), batch.chain()))
                .filter(state -> isStillMerged(tx, mergeToken))
                .map(state -> work.apply(tx)));
  }

  private boolean isStillMerged(Tx tx, long mergeToken) {
    return mergeToken == NONE_MERGED || FoldRows.wasMergedLast(tx, followed.id(), mergeToken);
  }
}
