package io.github.slotbloom.store;

import io.github.slotbloom.store.Tables.Folds;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.jooq.Field;
import org.jooq.Record;
import org.jooq.Record2;
import org.jooq.SelectConditionStep;
import org.jooq.SelectQuery;

/** The table {@code bloom_fold}: whose row is locked by whoever writes slots. */
public final class FoldRows {

  private static final List<Field<?>> STATE = List.of(Folds.FOLDED_SEQ, Folds.EPOCH);

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

  /**
   * Keeps everyone from folding until the transaction ends; reads what is committed now, whatever
   * snapshot the transaction has.
   *
   * @param atMost how long to wait for whoever folds
   */
  public Optional<FoldState> share(Tx tx, long filterId, Duration atMost) {
    SelectQuery<Record> query = tx.dsl().selectQuery();
    query.addSelect(STATE);
    query.addFrom(Folds.TABLE);
    query.addConditions(Folds.FILTER_ID.eq(filterId));
    query.setForShare(true);
    return TimeLimit.fetch(tx, query, STATE, atMost).stream()
        .map(row -> new FoldState(row.get(Folds.FOLDED_SEQ), row.get(Folds.EPOCH)))
        .findFirst();
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
