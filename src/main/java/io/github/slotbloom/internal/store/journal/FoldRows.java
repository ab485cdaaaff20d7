package io.github.slotbloom.internal.store.journal;

import io.github.slotbloom.internal.store.Tables;
import io.github.slotbloom.internal.store.Tables.Folds;
import io.github.slotbloom.internal.store.Tokens;
import io.github.slotbloom.internal.store.session.TimeLimit;
import io.github.slotbloom.internal.store.session.Tx;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.jooq.Condition;
import org.jooq.Field;
import org.jooq.Record;
import org.jooq.SelectConditionStep;
import org.jooq.SelectQuery;
import org.jooq.impl.DSL;
import org.jooq.impl.SQLDataType;

/**
 * Reads and writes the table {@code bloom_fold}. A transaction that writes slots holds the lock of
 * the filter's row.
 */
public final class FoldRows {

  private static final Field<Long> FOLDED_MILLIS =
      Tables.millisOf(Folds.FOLDED_AT).as("folded_millis");

  private static final List<Field<?>> STATE = List.of(Folds.FOLDED_SEQ, FOLDED_MILLIS);

  private static final Field<String> LATER =
      DSL.field(
          "GREATEST({0}, {1} + INTERVAL 1000 MICROSECOND)",
          SQLDataType.VARCHAR, Tables.UTC_NOW, Folds.FOLDED_AT);

  private FoldRows() {}

  /**
   * Locks the row, and returns how far the filter is folded. Returns empty if another transaction
   * is folding the filter, or if the filter is gone.
   */
  public static Optional<FoldState> tryLock(Tx tx, long filterId) {
    return select(tx, filterId).forUpdate().skipLocked().fetchOptional(FoldRows::state);
  }

  /** Does the same as {@link #tryLock}, but waits for the other transaction. */
  public static Optional<FoldState> lock(Tx tx, long filterId) {
    return select(tx, filterId).forUpdate().fetchOptional(FoldRows::state);
  }

  /**
   * Keeps other transactions from folding until this one ends. Reads the committed row, whatever
   * snapshot the transaction has.
   *
   * @param atMost the longest time to wait for a transaction that folds
   */
  public static Optional<FoldState> share(Tx tx, long filterId, Duration atMost) {
    SelectQuery<Record> query = select(tx, filterId).forShare().getQuery();
    return TimeLimit.fetch(tx, query, atMost).stream().map(FoldRows::state).findFirst();
  }

  private static SelectConditionStep<Record> select(Tx tx, long filterId) {
    return tx.dsl().select(STATE).from(Folds.TABLE).where(Folds.FILTER_ID.eq(filterId));
  }

  private static FoldState state(Record row) {
    return new FoldState(row.get(Folds.FOLDED_SEQ), row.get(FOLDED_MILLIS));
  }

  /**
   * Records that this transaction wrote a part of the entries that are to be folded. Needs the lock
   * of {@link #tryLock}.
   *
   * @return the state of the row, which stays the same as long as nobody writes it again
   */
  public static FoldState mark(Tx tx, long filterId) {
    tx.dsl()
        .update(Folds.TABLE)
        .set(Folds.FOLDED_AT, LATER)
        .where(Folds.FILTER_ID.eq(filterId))
        .execute();
    return select(tx, filterId).fetchSingle(FoldRows::state);
  }

  /**
   * Returns true if the row was written within that time, by the server's clock. If that clock was
   * since set back by more than the time, returns false.
   */
  public static boolean writtenWithin(Tx tx, long filterId, Duration time) {
    return isSo(
        tx,
        filterId,
        DSL.condition(
            "ABS(TIMESTAMPDIFF(MICROSECOND, {0}, {1})) < {2}",
            Folds.FOLDED_AT, Tables.UTC_NOW, DSL.val(time.toNanos() / 1000)));
  }

  private static boolean isSo(Tx tx, long filterId, Condition condition) {
    return tx.dsl()
        .fetchExists(
            DSL.selectOne().from(Folds.TABLE).where(Folds.FILTER_ID.eq(filterId)).and(condition));
  }

  /**
   * Records that the slots hold the entries up to {@code to}.
   *
   * @return false if somebody else folded or cleared in the meantime; the transaction must then be
   *     rolled back
   */
  public static boolean advance(Tx tx, long filterId, FoldState from, long to) {
    return tx.dsl()
            .update(Folds.TABLE)
            .set(Folds.FOLDED_SEQ, to)
            .set(Folds.FOLDED_AT, Tables.UTC_NOW)
            .where(Folds.FILTER_ID.eq(filterId))
            .and(Folds.FOLDED_SEQ.eq(from.foldedSeq()))
            .execute()
        == 1;
  }

  /**
   * Records that this transaction merged hashes of the journal into blocks. Needs the lock of
   * {@link #lock}.
   *
   * @param token a token from {@link Tokens#next}
   */
  public static void merged(Tx tx, long filterId, long token) {
    tx.dsl()
        .update(Folds.TABLE)
        .set(Folds.MERGE_TOKEN, token)
        .where(Folds.FILTER_ID.eq(filterId))
        .execute();
  }

  /**
   * Returns true if the transaction of that token was the last one that merged, and was not lost.
   */
  public static boolean wasMergedLast(Tx tx, long filterId, long token) {
    return isSo(tx, filterId, Folds.MERGE_TOKEN.eq(token));
  }

  /**
   * Counts all entries up to one as folded, since nothing takes their keys anymore. Needs the lock
   * of {@link #lock}.
   */
  public static void skip(Tx tx, long filterId, long to) {
    tx.dsl()
        .update(Folds.TABLE)
        .set(Folds.FOLDED_SEQ, to)
        .set(Folds.FOLDED_AT, LATER)
        .where(Folds.FILTER_ID.eq(filterId))
        .execute();
  }
}
