package io.github.slotbloom.internal.store.catalog;

import static org.jooq.impl.DSL.condition;
import static org.jooq.impl.DSL.field;
import static org.jooq.impl.DSL.val;

import io.github.slotbloom.internal.store.Tables;
import io.github.slotbloom.internal.store.Tables.RescuedKeys;
import io.github.slotbloom.internal.store.session.Tx;
import io.github.slotbloom.report.RescuedKey;
import java.time.Instant;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jooq.Condition;
import org.jooq.Field;
import org.jooq.impl.SQLDataType;
import org.jspecify.annotations.Nullable;

/**
 * Reads and writes the table {@code bloom_rescued}. A row changes only under the lock of the head.
 */
public final class RescuedRows {

  /** The most rows that one statement looks for or writes. */
  private static final int CHUNK = 1000;

  /** How long a rescue is kept for people to look at after it ended, in days. */
  private static final int KEPT_DAYS = 30;

  private static final Field<String> ACCOUNT = field("LEFT(USER(), 255)", SQLDataType.VARCHAR);

  private static final Condition LASTS =
      RescuedKeys.RESCUED_UNTIL
          .isNull()
          .or(condition("{0} > UTC_TIMESTAMP(6)", RescuedKeys.RESCUED_UNTIL));

  private static final Field<Long> UNTIL_MILLIS =
      Tables.millisOf(RescuedKeys.RESCUED_UNTIL).as("until_millis");

  private static final Field<Long> RESCUED_MILLIS =
      Tables.millisOf(RescuedKeys.RESCUED_AT).as("rescued_millis");

  private RescuedRows() {}

  /** Returns which of some hashes are rescued now, by the database clock. */
  public static Set<Long> among(Tx tx, long filterId, long[] hashes) {
    Set<Long> rescued = new HashSet<>();
    for (int from = 0; from < hashes.length; from += CHUNK) {
      rescued.addAll(
          tx.dsl()
              .select(RescuedKeys.HASH)
              .from(RescuedKeys.TABLE)
              .where(which(filterId, chunk(hashes, from)))
              .and(LASTS)
              .fetch(RescuedKeys.HASH));
    }
    return rescued;
  }

  private static List<Long> chunk(long[] hashes, int from) {
    return Arrays.stream(hashes, from, Math.min(hashes.length, from + CHUNK)).boxed().toList();
  }

  private static Condition which(long filterId, List<Long> hashes) {
    return RescuedKeys.FILTER_ID.eq(filterId).and(RescuedKeys.HASH.in(hashes));
  }

  /** Returns the rescued keys of a filter, oldest first. */
  public static List<RescuedKey> list(Tx tx, long filterId) {
    return tx.dsl()
        .select(
            RescuedKeys.HASH,
            RescuedKeys.REASON,
            RescuedKeys.RESCUED_BY,
            RESCUED_MILLIS,
            UNTIL_MILLIS)
        .from(RescuedKeys.TABLE)
        .where(RescuedKeys.FILTER_ID.eq(filterId))
        .and(LASTS)
        .orderBy(RescuedKeys.RESCUED_AT, RescuedKeys.HASH)
        .fetch(
            row ->
                new RescuedKey(
                    row.get(RescuedKeys.HASH),
                    row.get(RescuedKeys.REASON),
                    row.get(RescuedKeys.RESCUED_BY),
                    Instant.ofEpochMilli(row.get(RESCUED_MILLIS)),
                    Optional.ofNullable(row.get(UNTIL_MILLIS)).map(Instant::ofEpochMilli)));
  }

  /**
   * Rescues hashes, and forgets what ended long ago.
   *
   * @param by who rescues them; null for the account of the session
   * @param until when the rescue ends; null for never
   */
  public static void put(
      Tx tx,
      long filterId,
      long[] hashes,
      String reason,
      @Nullable String by,
      @Nullable Instant until) {
    Field<String> rescuedBy = by == null ? ACCOUNT : val(by);
    tx.dsl()
        .deleteFrom(RescuedKeys.TABLE)
        .where(RescuedKeys.FILTER_ID.eq(filterId))
        .and(
            condition(
                "{0} < UTC_TIMESTAMP() - INTERVAL {1} DAY",
                RescuedKeys.RESCUED_UNTIL, val(KEPT_DAYS)))
        .execute();
    String end = ExpirySql.text(until);
    for (int from = 0; from < hashes.length; from += CHUNK) {
      List<Long> some = chunk(hashes, from);
      tx.dsl().deleteFrom(RescuedKeys.TABLE).where(which(filterId, some)).execute();
      var insert =
          tx.dsl()
              .insertInto(
                  RescuedKeys.TABLE,
                  RescuedKeys.FILTER_ID,
                  RescuedKeys.HASH,
                  RescuedKeys.REASON,
                  RescuedKeys.RESCUED_BY,
                  RescuedKeys.RESCUED_AT,
                  RescuedKeys.RESCUED_UNTIL);
      for (long hash : some) {
        insert =
            insert.values(
                val(filterId), val(hash), val(reason), rescuedBy, Tables.UTC_NOW, val(end));
      }
      insert.execute();
    }
  }

  public static void delete(Tx tx, long filterId, long[] hashes) {
    for (int from = 0; from < hashes.length; from += CHUNK) {
      tx.dsl().deleteFrom(RescuedKeys.TABLE).where(which(filterId, chunk(hashes, from))).execute();
    }
  }
}
