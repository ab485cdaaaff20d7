package io.github.slotbloom.internal.store.journal;

import static org.jooq.impl.DSL.field;
import static org.jooq.impl.DSL.val;

import io.github.slotbloom.internal.store.Tables.Journals;
import io.github.slotbloom.internal.store.filter.FilterRecord;
import io.github.slotbloom.internal.store.session.Tx;
import java.time.Duration;
import org.jooq.Field;
import org.jooq.Record2;
import org.jooq.Record3;
import org.jooq.Result;
import org.jooq.impl.SQLDataType;

/** Deletes the oldest entries of {@code bloom_journal}, or finds those that may be deleted. */
public final class JournalTrimming {

  /** The most rows whose lengths one statement reads. */
  private static final int LENGTHS_PAGE = 1000;

  private static final Field<Long> PAYLOAD_BYTES =
      field("LENGTH({0})", SQLDataType.BIGINT, Journals.PAYLOAD);

  private JournalTrimming() {}

  /**
   * Deletes rows that are older than the retention, from the oldest on without gaps. Never deletes
   * the newest row.
   *
   * @param last number of the last entry that may be deleted
   * @param limit the most rows to delete
   * @return number of deleted rows
   */
  public static int trim(Tx tx, long filterId, long last, Duration retention, int limit) {
    Field<Boolean> old = olderThan(retention);
    Result<Record2<Long, Boolean>> oldest =
        tx.dsl()
            .select(Journals.SEQ, old)
            .from(Journals.TABLE)
            .where(Journals.FILTER_ID.eq(filterId))
            .and(Journals.SEQ.gt(0L))
            .orderBy(Journals.SEQ)
            .limit(limit + 1)
            .fetch();
    long firstKept = 0;
    for (int i = 0; i < oldest.size(); i++) {
      firstKept = oldest.get(i).value1();
      boolean newest = i == oldest.size() - 1;
      if (newest || firstKept > last || !oldest.get(i).value2()) {
        break;
      }
    }
    return deleteBefore(tx, filterId, firstKept, limit);
  }

  /**
   * Finds the entries that are older than the retention, from the oldest on without gaps.
   *
   * @param last number of the last entry that may be deleted
   * @param mostRows the most rows to find
   * @param mostBytes the most bytes of payload
   */
  public static OldEntries old(
      Tx tx, FilterRecord filter, long last, int mostRows, long mostBytes) {
    Field<Boolean> old = olderThan(filter.retention());
    long first = 0;
    long reached = 0;
    int rows = 0;
    long bytes = 0;
    while (true) {
      Result<Record3<Long, Long, Boolean>> page =
          tx.dsl()
              .select(Journals.SEQ, PAYLOAD_BYTES, old)
              .from(Journals.TABLE)
              .where(Journals.FILTER_ID.eq(filter.id()))
              .and(Journals.SEQ.gt(reached))
              .and(Journals.SEQ.le(last))
              .orderBy(Journals.SEQ)
              .limit(LENGTHS_PAGE)
              .fetch();
      for (Record3<Long, Long, Boolean> row : page) {
        boolean full = rows == mostRows || bytes + row.value2() > mostBytes;
        if (full || !row.value3()) {
          return new OldEntries(first, reached, rows, bytes, full);
        }
        first = rows == 0 ? row.value1() : first;
        reached = row.value1();
        rows++;
        bytes += row.value2();
      }
      if (page.size() < LENGTHS_PAGE) {
        return new OldEntries(first, reached, rows, bytes, false);
      }
    }
  }

  private static Field<Boolean> olderThan(Duration retention) {
    return field(
        "{0} < UTC_TIMESTAMP(3) - INTERVAL {1} SECOND",
        SQLDataType.BOOLEAN, Journals.CREATED_AT, val(retention.toSeconds()));
  }

  /**
   * Deletes at most {@code limit} entries of a filter with numbers below {@code seq}, oldest first.
   */
  public static int deleteBefore(Tx tx, long filterId, long seq, int limit) {
    return tx.dsl()
        .deleteFrom(Journals.TABLE)
        .where(Journals.FILTER_ID.eq(filterId))
        .and(Journals.SEQ.gt(0L))
        .and(Journals.SEQ.lt(seq))
        .orderBy(Journals.SEQ)
        .limit(limit)
        .execute();
  }
}
