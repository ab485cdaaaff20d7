package io.github.slotbloom.internal.store.journal;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.github.slotbloom.error.CorruptFilterException;
import io.github.slotbloom.internal.store.Tables.Filters;
import io.github.slotbloom.internal.store.Tables.Folds;
import io.github.slotbloom.internal.store.Tables.Journals;
import io.github.slotbloom.internal.store.catalog.Catalog;
import io.github.slotbloom.internal.store.catalog.CatalogRows;
import io.github.slotbloom.internal.store.filter.Cursor;
import io.github.slotbloom.internal.store.filter.FilterHead;
import io.github.slotbloom.internal.store.filter.FilterRecord;
import io.github.slotbloom.internal.store.filter.FilterState;
import io.github.slotbloom.internal.store.filter.StoredFormat;
import io.github.slotbloom.internal.store.session.DatabaseFailure;
import io.github.slotbloom.internal.store.session.RepeatedStatements;
import io.github.slotbloom.internal.store.session.SessionFitness;
import io.github.slotbloom.internal.store.session.Tx;
import io.github.slotbloom.internal.store.slots.SlotFields;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.jooq.Condition;
import org.jooq.Field;
import org.jooq.Record;
import org.jooq.Result;
import org.jooq.exception.DataAccessException;
import org.jspecify.annotations.Nullable;

/** Reads the head of a filter and the entries after a given one in one statement. */
public final class TailReader {

  static final List<Field<?>> HEAD =
      Stream.concat(Catalog.HEAD.stream(), Stream.of(Folds.FOLDED_SEQ)).toList();

  /**
   * What strict lookups ask. Texts, since to have jOOQ render them each time takes longer than the
   * server needs for the answer.
   */
  private static final String ENDS =
      ", bloom_filter.id, hex(name), journal_end.last_seq, journal_end.token"
          + " from bloom_filter"
          + " join bloom_journal journal_end"
          + " on journal_end.filter_id = bloom_filter.id and journal_end.seq = 0"
          + " left join bloom_journal beyond"
          + " on beyond.filter_id = bloom_filter.id and beyond.seq = journal_end.last_seq + 1"
          + " where state = ? and format_version = "
          + StoredFormat.VERSION
          + " and (expires_at is null or expires_at > utc_timestamp(6))"
          + " and beyond.seq is null and bloom_filter.id in ";

  private static final String HOLDS =
      "select 1 from bloom_journal where filter_id = ? and seq = ? and token = ?";

  private TailReader() {}

  /**
   * Reads the head of a filter and the rows after {@code after} in one statement.
   *
   * @return empty if there is no such filter
   * @throws io.github.slotbloom.error.FilterNotFoundException if it was renamed
   */
  public static Optional<Tail> tail(Tx tx, FilterRecord filter, long after) {
    return read(tx, filter, after, Journals.SEQ.gt(after));
  }

  /**
   * The end of a journal.
   *
   * @param name of the filter
   * @param cursor the last entry
   */
  public record End(String name, Cursor cursor) {}

  /**
   * Returns the ends of the journals of filters, by the ids of the filters. Costs the server and
   * the driver a fraction of {@link #tail}, and leaves out a filter if only {@code tail} can tell
   * what is wrong with it.
   */
  public static Map<Long, End> ends(Tx tx, List<Long> filterIds) {
    List<Object> values = new ArrayList<>();
    values.add(FilterState.ACTIVE.name());
    values.addAll(filterIds);
    // A few texts for all numbers, so that the server prepares each once.
    while (Integer.bitCount(values.size() - 1) > 1) {
      values.add(filterIds.get(0));
    }
    Map<Long, End> ends = new HashMap<>();
    query(
        tx,
        ENDS + "(?" + ", ?".repeat(values.size() - 2) + ")",
        values,
        row -> {
          String name = new String(HexFormat.of().parseHex(row.getString(3)), UTF_8);
          ends.put(row.getLong(2), new End(name, new Cursor(row.getLong(4), row.getLong(5))));
        });
    if (ends.isEmpty()) {
      // An unfit session would keep the transaction that the read began.
      SessionFitness.requireKnown(tx);
    }
    return ends;
  }

  /**
   * Returns true if the journal of a filter holds an entry with that number and token. Needs no
   * prepared session, unlike {@link Journal#holds}.
   */
  public static boolean holds(Tx tx, FilterRecord filter, Cursor entry) {
    AtomicBoolean holds = new AtomicBoolean();
    query(
        tx,
        ", exists(" + HOLDS + ")",
        List.of(filter.id(), entry.seq(), entry.token()),
        row -> holds.set(row.getBoolean(2)));
    return holds.get();
  }

  /** Reads rows that begin with a field for the session, which is checked. */
  private static void query(
      Tx tx, String afterFitness, List<Object> values, RepeatedStatements.Row row) {
    try {
      tx.statements()
          .query(
              "select " + SessionFitness.expression(tx) + afterFitness,
              values,
              each -> {
                SessionFitness.require(tx, each.getInt(1));
                row.read(each);
              });
    } catch (SQLException e) {
      throw DatabaseFailure.of(e);
    }
  }

  /**
   * Reads like {@link #tail}, beginning after the last folded entry.
   *
   * @throws CorruptFilterException if the rows do not lead to the end of the journal
   * @throws io.github.slotbloom.error.FilterNotFoundException if the filter was renamed
   */
  public static Optional<Tail> unfolded(Tx tx, FilterRecord filter) {
    Optional<Tail> tail = read(tx, filter, null, Journals.SEQ.gt(Folds.FOLDED_SEQ));
    tail.ifPresent(read -> requireChain(filter, read));
    return tail;
  }

  /**
   * Reads like {@link #unfolded(Tx, FilterRecord)}, with slots as they are at the same moment.
   *
   * @return empty if the filter or its generations are others than in the record, or if one
   *     statement cannot tell; nothing was passed on then
   * @throws CorruptFilterException if the rows do not lead to the end of the journal
   */
  public static Optional<Tail> unfolded(Tx tx, FilterRecord filter, List<SlotFields> slots) {
    Field<Boolean> asRead = Catalog.isAsRead(filter);
    List<Field<?>> more = new ArrayList<>(List.of(asRead));
    slots.forEach(some -> more.addAll(some.fields()));
    Result<? extends Record> rows;
    try {
      rows = rows(tx, filter, Journals.SEQ.gt(Folds.FOLDED_SEQ), more);
    } catch (DataAccessException e) {
      if (DatabaseFailure.of(e).tableMissing()) {
        return Optional.empty();
      }
      throw e;
    }
    if (rows.isEmpty()) {
      SessionFitness.requireKnown(tx);
      return Optional.empty();
    }
    Record first = rows.get(0);
    SessionFitness.require(tx, first);
    if (rows.size() == JournalEntry.PAGE || !first.get(asRead)) {
      return Optional.empty();
    }
    Tail tail = tail(filter, null, rows);
    requireChain(filter, tail);
    slots.forEach(some -> some.read(first));
    return Optional.of(tail);
  }

  static void requireChain(FilterRecord filter, Tail unfolded) {
    JournalChain chain = unfolded.chain(filter.name());
    if (unfolded.entries().size() < JournalEntry.PAGE) {
      chain.requireEnd(unfolded.head());
    }
  }

  private static Optional<Tail> read(
      Tx tx, FilterRecord filter, @Nullable Long after, Condition wanted) {
    Result<? extends Record> rows = rows(tx, filter, wanted, List.of());
    if (rows.isEmpty()) {
      SessionFitness.requireKnown(tx);
      Catalog.requireNotRenamed(tx, filter);
      return Optional.empty();
    }
    SessionFitness.require(tx, rows.get(0));
    return Optional.of(tail(filter, after, rows));
  }

  private static Result<? extends Record> rows(
      Tx tx, FilterRecord filter, Condition wanted, List<Field<?>> more) {
    return tx.dsl()
        .select(HEAD)
        .select(SessionFitness.field(tx))
        .select(JournalEntry.FIELDS)
        .select(more)
        .from(Catalog.HEAD_ROWS)
        .leftJoin(Folds.TABLE)
        .on(Folds.FILTER_ID.eq(Filters.ID))
        .leftJoin(Journals.TABLE)
        .on(Journals.FILTER_ID.eq(Filters.ID).and(wanted))
        .where(Filters.ID.eq(filter.id()))
        .and(Filters.NAME.eq(filter.name().value()))
        .orderBy(Journals.SEQ)
        .limit(JournalEntry.PAGE)
        .fetch();
  }

  private static Tail tail(
      FilterRecord filter, @Nullable Long after, Result<? extends Record> rows) {
    Record first = rows.get(0);
    FilterHead head = CatalogRows.head(filter.name(), first);
    long foldedSeq = foldedSeq(filter, first);
    List<JournalEntry> entries = entries(filter, head, rows);
    return new Tail(head, foldedSeq, after == null ? foldedSeq : after, entries);
  }

  static long foldedSeq(FilterRecord filter, Record row) {
    Long foldedSeq = row.get(Folds.FOLDED_SEQ);
    if (foldedSeq == null) {
      throw new CorruptFilterException(
          "Filter "
              + filter.name()
              + " has no row in bloom_fold. Restore the bloom_ tables from one backup.");
    }
    return foldedSeq;
  }

  /** Returns the entries of those rows that have one. */
  static List<JournalEntry> entries(
      FilterRecord filter, FilterHead head, List<? extends Record> rows) {
    List<JournalEntry> entries = new ArrayList<>(rows.size());
    for (Record row : rows) {
      if (row.get(Journals.SEQ) != null) {
        entries.add(JournalEntry.decode(filter, row));
      }
    }
    requireEnd(filter, head, entries);
    return entries;
  }

  private static void requireEnd(FilterRecord filter, FilterHead head, List<JournalEntry> entries) {
    if (!entries.isEmpty() && entries.get(entries.size() - 1).seq() > head.lastSeq()) {
      throw new CorruptFilterException(
          "The journal of filter "
              + filter.name()
              + " goes on to entry "
              + entries.get(entries.size() - 1).seq()
              + ", but by its row 0 it ends at "
              + head.lastSeq()
              + ". Restore the bloom_ tables from one backup.");
    }
  }
}
