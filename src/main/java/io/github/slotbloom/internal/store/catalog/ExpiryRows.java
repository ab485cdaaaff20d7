package io.github.slotbloom.internal.store.catalog;

import static org.jooq.impl.DSL.field;

import io.github.slotbloom.internal.store.Tables;
import io.github.slotbloom.internal.store.Tables.Filters;
import io.github.slotbloom.internal.store.session.Tx;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Optional;
import org.jooq.Field;
import org.jooq.impl.SQLDataType;
import org.jspecify.annotations.Nullable;

/** Reads the database clock, and reads and writes when filters expire by it. */
public final class ExpiryRows {

  private static final Field<Long> NOW =
      field(Tables.MICROS_NOW, SQLDataType.BIGINT).as("micros_now");

  /**
   * The microseconds since somebody first noticed that the filter expired; null if nobody did. A
   * note from before the expiry, or from the future, was made while the clock was another one.
   */
  private static final Field<Long> NOTICED_MICROS =
      field(
              "CASE WHEN {0} >= {1} AND {0} <= UTC_TIMESTAMP(3) THEN"
                  + " TIMESTAMPDIFF(MICROSECOND, {0}, UTC_TIMESTAMP(3)) END",
              SQLDataType.BIGINT, Filters.EXPIRY_NOTICED_AT, Filters.EXPIRES_AT)
          .as("noticed_micros");

  private ExpiryRows() {}

  /**
   * Returns the time of the database's clock, in microseconds since the start of 1970 in UTC. Call
   * it after the lock is there: the statement that takes a lock has the time at which it began to
   * wait.
   */
  public static long nowMicros(Tx tx) {
    return tx.dsl().select(NOW).fetchSingle(NOW);
  }

  /** Returns the time of the database's clock. */
  public static Instant now(Tx tx) {
    return Instant.ofEpochMilli(nowMicros(tx) / 1000);
  }

  public static boolean hasCome(Tx tx, Instant at) {
    return !at.isAfter(now(tx));
  }

  /**
   * Sets when a filter expires. Whoever noticed before that it expired has noticed nothing. Needs
   * the lock of {@link HeadLock#take}.
   *
   * @param at null if it never does
   */
  public static void set(Tx tx, long filterId, @Nullable Instant at) {
    tx.dsl()
        .update(Filters.TABLE)
        .set(Filters.EXPIRES_AT, ExpirySql.text(at))
        .set(Filters.EXPIRY_NOTICED_AT, (String) null)
        .where(Filters.ID.eq(filterId))
        .execute();
  }

  /** Returns the time since a filter was first found expired; empty if nobody noted that yet. */
  public static Optional<Duration> noticedFor(Tx tx, long filterId) {
    return tx.dsl()
        .select(NOTICED_MICROS)
        .from(Filters.TABLE)
        .where(Filters.ID.eq(filterId))
        .and(ExpirySql.HAS_COME)
        .fetchOptional(NOTICED_MICROS)
        .map(micros -> Duration.of(micros, ChronoUnit.MICROS));
  }

  /** Notes that a filter was found expired now, unless that was noted before. */
  public static void notice(Tx tx, long filterId) {
    tx.dsl()
        .update(Filters.TABLE)
        .set(Filters.EXPIRY_NOTICED_AT, Tables.UTC_NOW)
        .where(Filters.ID.eq(filterId))
        .and(ExpirySql.HAS_COME)
        .and(
            Filters.EXPIRY_NOTICED_AT
                .isNull()
                .or(Filters.EXPIRY_NOTICED_AT.lt(Filters.EXPIRES_AT))
                .or(Filters.EXPIRY_NOTICED_AT.gt(Tables.UTC_NOW)))
        .execute();
  }
}
