package io.github.slotbloom.internal.store.journal;

import io.github.slotbloom.internal.store.Tables;
import io.github.slotbloom.internal.store.Tables.Ends;
import io.github.slotbloom.internal.store.catalog.Catalog;
import io.github.slotbloom.internal.store.catalog.ExpirySql;
import io.github.slotbloom.internal.store.filter.Cursor;
import io.github.slotbloom.internal.store.filter.FilterHead;
import io.github.slotbloom.internal.store.filter.FilterRecord;
import io.github.slotbloom.internal.store.filter.KeyCounts;
import io.github.slotbloom.internal.store.filter.StoredFormat;
import io.github.slotbloom.internal.store.session.Database;
import io.github.slotbloom.internal.store.session.DatabaseFailure;
import io.github.slotbloom.internal.store.session.ServerVersion;
import io.github.slotbloom.internal.store.session.Tx;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * Appends entries to a journal, and moves its end, in one statement.
 *
 * <p>The statement inserts row 0 as well, which is there already, so that the server updates it
 * instead (ON DUPLICATE KEY UPDATE). It does so only if the row is the end that the entries
 * continue. Otherwise, and if the number of an entry is taken, an expression that no number can
 * hold makes the whole statement fail, whatever the SQL mode is. So the statement is a
 * compare-and-set.
 *
 * <p>{@link #append} needs the lock on the head. {@link #tryAppend} needs no lock and no
 * transaction: in the same statement it takes the lock, if that is free, and compares the row of
 * the filter with the expected one.
 */
public final class JournalAppend {

  /** The outcome of an attempt. */
  public enum Outcome {
    APPENDED,
    /** The head is another one than expected. Nothing was written. */
    ANOTHER_HEAD,
    /** Another transaction has the lock on the head. Nothing was written. */
    HEAD_LOCKED
  }

  private static final String INSERT = "insert";

  private static final String COLUMNS =
      " into `bloom_journal` (`filter_id`, `seq`, `token`, `previous_token`, `kind`,"
          + " `payload`, `created_at`, `last_seq`, `keys_added`) values ";

  /** A value that makes any statement fail that evaluates it. */
  private static final String NO_NUMBER = "(select 18446744073709551615 + 1)";

  private static final String LOCKED_FILTER = "?";

  /** The condition for a bucket of a window that is not over. */
  private static final String IN_BUCKET =
      " and floor(" + Tables.MICROS_NOW + " / (`bucket_millis` * 1000)) <= `bucket`";

  /** The condition for a session that does not log the text of a statement. */
  private static final String LOGS_ROWS = " and @@binlog_format <> 'STATEMENT'";

  /** The payload is empty, and no literal that EMPTY_STRING_IS_NULL changes. */
  private static final String END = ", 0, ?, ?, '" + Ends.KIND + "', x'', utc_timestamp(3), ?, ?)";

  private static final String ENTRY = ", (?, ?, ?, ?, ?, unhex(?), utc_timestamp(3), null, null)";

  private static final String MOVE =
      " on duplicate key update `last_seq` = if(`seq` = 0 and `last_seq` = ? and `token` = ?";

  private static final String EXPECTED =
      " and `previous_token` = ? and least(`keys_added`, " + Catalog.MOST_COUNTED_KEYS + ") = ?";

  private static final String TO =
      ", ?, (`seq` + 18446744073709551615) + 1), `keys_added` = `keys_added` + ?, `token` = ?,"
          + " `created_at` = utc_timestamp(3)";

  private static final String RENEWED = ", `keys_renewed` = `keys_renewed` + ?";

  private static final String REMOVED = ", `keys_removed` = `keys_removed` + ?";

  private JournalAppend() {}

  /**
   * Appends entries. Needs the lock of {@link HeadLock#take}.
   *
   * @param entries at least one entry; chained to the head that was read under that lock
   * @param counts what the entries add to the counts of the filter
   */
  public static void append(Tx tx, long filterId, List<JournalEntry> entries, KeyCounts counts) {
    List<Object> values = new ArrayList<>(List.of(filterId));
    Cursor end = bindRows(values, filterId, entries, 0, Math.max(0, counts.keys()));
    bindMove(values, entries, List.of(), end, counts);
    execute(tx, INSERT + sql(LOCKED_FILTER, entries.size(), "", counts), values);
  }

  private static void execute(Tx tx, String sql, List<Object> values) {
    try {
      tx.statements().execute(sql, values);
    } catch (SQLException e) {
      throw DatabaseFailure.of(e);
    }
  }

  /**
   * Appends entries if the head is as expected and nobody holds it. If it is, nothing was appended
   * since this process left it so, and nothing can be before this statement is committed. The
   * session autocommits each statement. It need not be prepared: the statement then brings what it
   * needs.
   *
   * @param expected the head that the entries are chained to, in the state in which this process
   *     left it; with at least one entry, whose token tells this history from any other
   * @param counts what the entries add to the counts of the filter
   */
  public static Outcome tryAppend(
      Tx tx,
      FilterRecord opened,
      FilterHead expected,
      List<JournalEntry> entries,
      KeyCounts counts) {
    List<Object> values = new ArrayList<>();
    Collections.addAll(values, opened.id(), expected.state().name(), expected.onFull().name());
    values.addAll(opened.unchanged());
    Cursor end =
        bindRows(
            values, opened.id(), entries, expected.fence(), expected.keysAdded() + counts.keys());
    bindMove(values, entries, List.of(expected.fence(), expected.keysAdded()), end, counts);
    try {
      execute(
          tx,
          (tx.prepared() ? INSERT : unprepared(tx.server()))
              + sql(free(tx, opened, expected), entries.size(), EXPECTED, counts),
          values);
      return Outcome.APPENDED;
    } catch (DatabaseFailure e) {
      if (e.outOfRange()) {
        return Outcome.ANOTHER_HEAD;
      }
      if (e.lockNotFree()) {
        return Outcome.HEAD_LOCKED;
      }
      throw e;
    }
  }

  /**
   * Returns the beginning of a statement that brings the limits and the isolation level that it
   * needs. MySQL takes one of them. It logs the rows that the statement changes whatever the
   * isolation level is, since it locks, unless {@link #LOGS_ROWS} finds the old format.
   */
  private static String unprepared(ServerVersion server) {
    String isolation =
        server.bringsIsolation()
            ? server.isolation() + " = 'READ-COMMITTED', " + server.readOnly() + " = 0, "
            : "";
    return server.mariaDb()
        ? "set statement "
            + isolation
            + server.statementTime()
            + " = 0, innodb_lock_wait_timeout = "
            + Database.LOCK_WAIT_SECONDS
            + ", lock_wait_timeout = "
            + Database.LOCK_WAIT_SECONDS
            + " for "
            + INSERT
        : INSERT + " /*+ set_var(lock_wait_timeout = " + Database.LOCK_WAIT_SECONDS + ") */";
  }

  private static String free(Tx tx, FilterRecord opened, FilterHead expected) {
    return "coalesce((select `id` from `bloom_filter` where `id` = ? and `state` = ? and"
        + " `format_version` = "
        + StoredFormat.VERSION
        + " and `on_full` = ? and "
        + FilterRecord.UNCHANGED
        + (tx.prepared() || tx.server().bringsIsolation() ? "" : LOGS_ROWS)
        + (opened.window() == null ? "" : IN_BUCKET)
        + " and "
        + ExpirySql.lastsAsRead(expected)
        + " for update nowait), "
        + NO_NUMBER
        + ")";
  }

  private static String sql(String filter, int entries, String expected, KeyCounts counts) {
    String removed = counts.removed() == 0 ? "" : REMOVED;
    String renewed = counts.renewed() == 0 ? "" : RENEWED;
    return COLUMNS
        + "("
        + filter
        + END
        + ENTRY.repeat(entries)
        + MOVE
        + expected
        + TO
        + removed
        + renewed;
  }

  /** Binds the rows behind the filter of row 0, and returns the new end. */
  private static Cursor bindRows(
      List<Object> values, long filterId, List<JournalEntry> entries, long fence, long keysAdded) {
    Cursor end = entries.get(entries.size() - 1).cursor();
    Collections.addAll(values, end.token(), fence, end.seq(), keysAdded);
    for (JournalEntry entry : entries) {
      Collections.addAll(
          values,
          filterId,
          entry.seq(),
          entry.token(),
          entry.previousToken(),
          entry.kind().name(),
          entry.payload());
    }
    return end;
  }

  private static void bindMove(
      List<Object> values,
      List<JournalEntry> entries,
      List<Long> expected,
      Cursor end,
      KeyCounts counts) {
    JournalEntry first = entries.get(0);
    Collections.addAll(values, first.seq() - 1, first.previousToken());
    values.addAll(expected);
    Collections.addAll(values, end.seq(), counts.keys(), end.token());
    if (counts.removed() != 0) {
      values.add(counts.removed());
    }
    if (counts.renewed() != 0) {
      values.add(counts.renewed());
    }
  }
}
