package io.github.slotbloom.internal.store.journal;

import static org.jooq.impl.DSL.field;
import static org.jooq.impl.DSL.inline;
import static org.jooq.impl.DSL.val;

import io.github.slotbloom.internal.store.Tables.Journals;
import io.github.slotbloom.internal.store.filter.FilterRecord;
import io.github.slotbloom.internal.store.session.Tx;
import java.time.Duration;
import org.jooq.Field;
import org.jooq.Record3;
import org.jooq.Result;
import org.jooq.impl.SQLDataType;

/** Deletes the oldest entries of {@code bloom_journal}, or finds those that may be deleted. */
public final class JournalTrimming {

  /** The most rows that one statement reads. */
  private static final int PAGE = 1000;

  private static final Field<Long> PAYLOAD_BYTES =
      field("LENGTH({0})", SQLDataType.BIGINT, Journals.PAYLOAD);

  private JournalTrimming() {}

  /**
   * Deletes rows that {@link #old} finds.
   *
   * @param last number of the last entry that may be deleted
   * @param limit the most rows to delete
   * @return number of deleted rows
   */
  public static int trim(Tx tx, FilterRecord filter, long last, int limit) {
    // The payloads, which are not read, count nothing.
    OldEntries old = old(tx, filter, last, inline(0L), limit, Long.MAX_VALUE);
    return deleteBefore(tx, filter.id(), old.last() + 1, limit);
  }

  /**
   * Finds the entries that are older than the retention, from the oldest on without gaps. The
   * newest entry stays, because the next one continues from it.
   *
   * @param last number of the last entry that may be deleted
   * @param mostRows the most rows to find
   * @param mostBytes the most bytes of payload
   */
  public static OldEntries old(
      Tx tx, FilterRecord filter, long last, int mostRows, long mostBytes) {
    return old(tx, filter, last, PAYLOAD_BYTES, mostRows, mostBytes);
  }

  private static OldEntries old(
      Tx tx, FilterRecord filter, long last, Field<Long> lengths, int mostRows, long mostBytes) {
    long most = Math.min(last, filter.head().lastSeq() - 1);
    Field<Boolean> old = olderThan(filter.retention());
    long first = 0;
    long reached = 0;
    int rows = 0;
    long bytes = 0;
    while (true) {
      Result<Record3<Long, Long, Boolean>> page =
          tx.dsl()
              .select(Journals.SEQ, lengths, old)
              .from(Journals.TABLE)
              .where(Journals.FILTER_ID.eq(filter.id()))
              .and(Journals.SEQ.gt(reached))
              .and(Journals.SEQ.le(most))
              .orderBy(Journals.SEQ)
              .limit(PAGE)
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
      if (page.size() < PAGE) {
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
