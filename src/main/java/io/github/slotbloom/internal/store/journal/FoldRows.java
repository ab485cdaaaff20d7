package io.github.slotbloom.internal.store.journal;

import io.github.slotbloom.internal.store.Tables;
import io.github.slotbloom.internal.store.Tables.Folds;
import io.github.slotbloom.internal.store.TimeLimit;
import io.github.slotbloom.internal.store.Tokens;
import io.github.slotbloom.internal.store.Tx;
import io.github.slotbloom.internal.store.catalog.Catalog;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.jooq.Field;
import org.jooq.Record;
import org.jooq.SelectConditionStep;
import org.jooq.SelectQuery;
import org.jooq.impl.DSL;
import org.jooq.impl.SQLDataType;

/** The table {@code bloom_fold}: whose row is locked by whoever writes slots. */
public final class FoldRows {

  private static final Field<Long> FOLDED_MILLIS =
      Tables.millisOf(Folds.FOLDED_AT).as("folded_millis");

  private static final List<Field<?>> STATE = List.of(Folds.FOLDED_SEQ, Folds.EPOCH, FOLDED_MILLIS);

  private static final Field<String> LATER =
      DSL.field(
          "GREATEST({0}, {1} + INTERVAL 1000 MICROSECOND)",
          SQLDataType.VARCHAR, Tables.UTC_NOW, Folds.FOLDED_AT);

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
    return TimeLimit.fetch(tx, query, STATE, atMost).stream().map(FoldRows::state).findFirst();
  }

  private static SelectConditionStep<Record> select(Tx tx, long filterId) {
    return tx.dsl().select(STATE).from(Folds.TABLE).where(Folds.FILTER_ID.eq(filterId));
  }

  private static FoldState state(Record row) {
    return new FoldState(row.get(Folds.FOLDED_SEQ), row.get(Folds.EPOCH), row.get(FOLDED_MILLIS));
  }

  /**
   * Says that a part of what is to be folded was written in this transaction. Needs the lock of
   * {@link #tryLock}.
   *
   * @return what is found there as long as that holds
   */
  public FoldState mark(Tx tx, long filterId) {
    tx.dsl()
        .update(Folds.TABLE)
        .set(Folds.FOLDED_AT, LATER)
        .where(Folds.FILTER_ID.eq(filterId))
        .execute();
    return select(tx, filterId).fetchSingle(FoldRows::state);
  }

  /**
   * Whether the row was written within that time, by the server's clock; after that clock was set
   * back by more, it counts as not written.
   */
  public boolean writtenWithin(Tx tx, long filterId, Duration time) {
    return tx.dsl()
        .fetchExists(
            DSL.selectOne()
                .from(Folds.TABLE)
                .where(Folds.FILTER_ID.eq(filterId))
                .and(
                    DSL.condition(
                        "ABS(TIMESTAMPDIFF(MICROSECOND, {0}, {1})) < {2}",
                        Folds.FOLDED_AT, Tables.UTC_NOW, DSL.val(time.toNanos() / 1000))));
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
   * Says that hashes of the journal were merged into blocks in this transaction. Needs the lock of
   * {@link #lock}.
   *
   * @param token of {@link Tokens#next}
   */
  public void merged(Tx tx, long filterId, long token) {
    tx.dsl()
        .update(Folds.TABLE)
        .set(Folds.MERGE_TOKEN, token)
        .where(Folds.FILTER_ID.eq(filterId))
        .execute();
  }

  /** Whether nothing was merged since the transaction of that token, nor was that lost. */
  public boolean wasMergedLast(Tx tx, long filterId, long token) {
    return tx.dsl()
        .fetchExists(
            DSL.selectOne()
                .from(Folds.TABLE)
                .where(Folds.FILTER_ID.eq(filterId))
                .and(Folds.MERGE_TOKEN.eq(token)));
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
