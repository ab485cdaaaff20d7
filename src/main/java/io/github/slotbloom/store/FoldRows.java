package io.github.slotbloom.store;

import io.github.slotbloom.store.Tables.Folds;
import java.util.Optional;
import org.jooq.Record2;
import org.jooq.SelectConditionStep;

/** The table {@code bloom_fold}: whose row is locked by whoever writes slots. */
public final class FoldRows {

  /**
   * How far the filter is folded; empty if another transaction is folding it, or if the filter is
   * gone.
   */
  public Optional<FoldState> tryLock(Tx tx, long filterId) {
    return select(tx, filterId).forUpdate().skipLocked().fetchOptional(FoldRows::state);
  }

  /** As {@link #tryLock}, but waits for the other transaction. */
  public Optional<FoldState> lock(Tx tx, long filterId) {
    return select(tx, filterId).forUpdate().fetchOptional(FoldRows::state);
  }

  private static SelectConditionStep<Record2<Long, Long>> select(Tx tx, long filterId) {
    return tx.dsl()
        .select(Folds.FOLDED_SEQ, Folds.EPOCH)
        .from(Folds.TABLE)
        .where(Folds.FILTER_ID.eq(filterId));
  }

  private static FoldState state(Record2<Long, Long> row) {
    return new FoldState(row.value1(), row.value2());
  }

  /**
   * Says that the slots hold the entries up to {@code to}.
   *
   * @return false if somebody else folded or cleared meanwhile; the transaction must then be rolled
   *     back
   */
  public boolean advance(Tx tx, long filterId, FoldState from, long to) {
    return tx.dsl()
            .update(Folds.TABLE)
            .set(Folds.FOLDED_SEQ, to)
            .set(Folds.FOLDED_AT, Tables.UTC_NOW)
            .where(Folds.FILTER_ID.eq(filterId))
            .and(Folds.FOLDED_SEQ.eq(from.foldedSeq()))
            .and(Folds.EPOCH.eq(from.epoch()))
            .execute()
        == 1;
  }

  /**
   * Counts everything so far as folded, in a new epoch. Needs the lock of {@link Catalog#lockHead},
   * taken before.
   */
  public void beginEpoch(Tx tx, long filterId, long epoch, long foldedSeq) {
    tx.dsl()
        .update(Folds.TABLE)
        .set(Folds.FOLDED_SEQ, foldedSeq)
        .set(Folds.EPOCH, epoch)
        .set(Folds.FOLDED_AT, Tables.UTC_NOW)
        .where(Folds.FILTER_ID.eq(filterId))
        .execute();
  }
}
