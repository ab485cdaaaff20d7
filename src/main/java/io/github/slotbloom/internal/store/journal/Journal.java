package io.github.slotbloom.internal.store.journal;

import static org.jooq.impl.DSL.count;
import static org.jooq.impl.DSL.field;
import static org.jooq.impl.DSL.name;
import static org.jooq.impl.DSL.selectOne;
import static org.jooq.impl.DSL.val;

import io.github.slotbloom.core.FilterName;
import io.github.slotbloom.error.CorruptFilterException;
import io.github.slotbloom.error.UnsupportedFormatException;
import io.github.slotbloom.internal.store.Database;
import io.github.slotbloom.internal.store.Pulse;
import io.github.slotbloom.internal.store.ServerSettings;
import io.github.slotbloom.internal.store.Tables;
import io.github.slotbloom.internal.store.Tables.Filters;
import io.github.slotbloom.internal.store.Tables.Folds;
import io.github.slotbloom.internal.store.Tables.Journals;
import io.github.slotbloom.internal.store.Tx;
import io.github.slotbloom.internal.store.catalog.Catalog;
import io.github.slotbloom.internal.store.catalog.CatalogRows;
import io.github.slotbloom.internal.store.catalog.FilterHead;
import io.github.slotbloom.internal.store.catalog.FilterRecord;
import io.github.slotbloom.internal.store.catalog.FilterState;
import io.github.slotbloom.internal.store.catalog.StoredFormat;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.LongSupplier;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.jooq.Condition;
import org.jooq.Field;
import org.jooq.Record;
import org.jooq.Record2;
import org.jooq.Record3;
import org.jooq.Result;
import org.jooq.impl.SQLDataType;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The table {@code bloom_journal}: one total order of new keys a filter. */
public final class Journal {

  private static final Logger log = LoggerFactory.getLogger(Journal.class);

  /** Rows that one statement reads at most; of full ones 16 MiB. */
  private static final int PAGE = 256;

  /** Rows of which one statement reads the lengths at most. */
  private static final int LENGTHS_PAGE = 1000;

  private static final Field<Long> PAYLOAD_BYTES =
      field("LENGTH({0})", SQLDataType.BIGINT, Journals.PAYLOAD);

  private static final Field<Long> AGE_MICROS =
      field(
          "TIMESTAMPDIFF(MICROSECOND, {0}, UTC_TIMESTAMP(6))",
          SQLDataType.BIGINT, Journals.CREATED_AT);

  /** As {@link ServerSettings#server}. */
  private static final Field<String> SERVER =
      field(
              "CONCAT_WS('/', @@GLOBAL.hostname, @@GLOBAL.port, @@GLOBAL.server_id)",
              SQLDataType.VARCHAR)
          .as("server");

  /** The name of {@link #sessionFit}. */
  private static final Field<Boolean> SESSION_FIT = field(name("session_fit"), SQLDataType.BOOLEAN);

  private static final List<Field<?>> HEAD =
      Stream.concat(Catalog.HEAD.stream(), Stream.of(Folds.FOLDED_SEQ)).toList();

  private static final List<Field<?>> ENTRY =
      List.of(
          Journals.SEQ, Journals.TOKEN, Journals.PREVIOUS_TOKEN, Journals.KIND, Journals.PAYLOAD);

  /**
   * The session reads only what is committed, all the rows that are asked for, and at each
   * statement anew.
   */
  private static Field<Boolean> sessionFit(Tx tx) {
    return field(
            "(@@SESSION.autocommit = 1"
                + " AND @@SESSION."
                + tx.server().isolation()
                + " <> 'READ-UNCOMMITTED'"
                + " AND @@SESSION.sql_select_limit >= "
                + Long.MAX_VALUE
                + ")",
            SQLDataType.BOOLEAN)
        .as(SESSION_FIT);
  }

  /**
   * The head of a filter and the rows after {@code after}, read in one statement.
   *
   * @return empty if there is no such filter
   */
  public Optional<Tail> tail(Tx tx, FilterRecord filter, long after) {
    return read(tx, filter, after);
  }

  /**
   * Whether the filter is active, in that epoch, and its journal ends there, as its head says.
   * Costs server and driver a fraction of {@link #tail}.
   *
   * @return false if it is not so, or if the session is not fit to tell; {@link #tail} knows more
   */
  public boolean endsAt(Tx tx, FilterRecord filter, long epoch, Cursor end) {
    return tx.dsl()
        .select(sessionFit(tx))
        .from(Filters.TABLE)
        .where(Filters.ID.eq(filter.id()))
        .and(Filters.LAST_SEQ.eq(end.seq()))
        .and(Filters.LAST_TOKEN.eq(end.token()))
        .and(Filters.EPOCH.eq(epoch))
        .and(Filters.STATE.eq(FilterState.ACTIVE.name()))
        .and(Filters.FORMAT_VERSION.le(StoredFormat.NEWEST))
        .andNotExists(
            selectOne()
                .from(Journals.TABLE)
                .where(Journals.FILTER_ID.eq(filter.id()))
                .and(Journals.SEQ.eq(end.seq() + 1)))
        .fetchOptional(SESSION_FIT)
        .map(fit -> fit || tx.prepared())
        .orElse(false);
  }

  /**
   * As {@link #tail}, beginning after the entry that was folded last.
   *
   * @throws CorruptFilterException if that does not lead to the end of the journal
   */
  public Optional<Tail> unfolded(Tx tx, FilterRecord filter) {
    Optional<Tail> tail = read(tx, filter, null);
    tail.ifPresent(read -> requireChain(filter, read));
    return tail;
  }

  private static void requireChain(FilterRecord filter, Tail unfolded) {
    JournalChain chain = unfolded.chain(filter.name());
    if (unfolded.entries().size() < PAGE) {
      chain.requireEnd(unfolded.head());
    }
  }

  private static Optional<Tail> read(Tx tx, FilterRecord filter, @Nullable Long after) {
    Condition wanted = after == null ? Journals.SEQ.gt(Folds.FOLDED_SEQ) : Journals.SEQ.gt(after);
    Result<? extends Record> rows =
        tx.dsl()
            .select(HEAD)
            .select(sessionFit(tx))
            .select(ENTRY)
            .from(Filters.TABLE)
            .leftJoin(Folds.TABLE)
            .on(Folds.FILTER_ID.eq(Filters.ID))
            .leftJoin(Journals.TABLE)
            .on(Journals.FILTER_ID.eq(Filters.ID).and(wanted))
            .where(Filters.ID.eq(filter.id()))
            .orderBy(Journals.SEQ)
            .limit(PAGE)
            .fetch();
    if (rows.isEmpty()) {
      return Optional.empty();
    }
    Record first = rows.get(0);
    requireFitSession(tx, first);
    FilterHead head = CatalogRows.head(filter.name(), first);
    // A later version may fold in another way.
    StoredFormat.requireKnown(filter.name(), head);
    if (first.get(Folds.FOLDED_SEQ) == null) {
      throw new CorruptFilterException(
          "Filter "
              + filter.name()
              + " has no row in bloom_fold. Restore the bloom_ tables from one backup.");
    }
    long foldedSeq = first.get(Folds.FOLDED_SEQ);
    List<JournalEntry> entries = new ArrayList<>(rows.size());
    for (Record row : rows) {
      if (row.get(Journals.SEQ) != null) {
        entries.add(JournalEntry.decode(filter.name(), filter.layout(), row));
      }
    }
    requireEnd(filter, head, entries);
    return Optional.of(new Tail(head, foldedSeq, after == null ? foldedSeq : after, entries));
  }

  private static void requireEnd(FilterRecord filter, FilterHead head, List<JournalEntry> entries) {
    if (!entries.isEmpty() && entries.get(entries.size() - 1).seq() > head.lastSeq()) {
      throw new CorruptFilterException(
          "The journal of filter "
              + filter.name()
              + " goes on to entry "
              + entries.get(entries.size() - 1).seq()
              + ", but its row in bloom_filter ends at "
              + head.lastSeq()
              + ". Restore the bloom_ tables from one backup.");
    }
  }

  /**
   * The next entries that are committed, and follows them; empty where nothing more is.
   *
   * @param last number of the last one that is wanted
   * @throws CorruptFilterException if they do not continue the chain
   */
  public List<JournalEntry> next(Tx tx, FilterRecord filter, JournalChain chain, long last) {
    List<JournalEntry> entries = page(tx, filter, chain.seq(), last);
    entries.forEach(chain::follow);
    return entries;
  }

  private static List<JournalEntry> page(Tx tx, FilterRecord filter, long after, long last) {
    return tx.dsl()
        .select(ENTRY)
        .from(Journals.TABLE)
        .where(Journals.FILTER_ID.eq(filter.id()))
        .and(Journals.SEQ.gt(after))
        .and(Journals.SEQ.le(last))
        .orderBy(Journals.SEQ)
        .limit(PAGE)
        .fetch(row -> JournalEntry.decode(filter.name(), filter.layout(), row));
  }

  /**
   * The next entries after {@code after}, up to {@code last}, that the journal still holds; those
   * that were trimmed are left out. Empty where nothing more is.
   *
   * @throws CorruptFilterException if others are missing
   */
  public List<JournalEntry> held(Tx tx, FilterRecord filter, long after, long last) {
    List<JournalEntry> entries = page(tx, filter, after, last);
    long begins = entries.isEmpty() ? last + 1 : entries.get(0).seq();
    // Only what is trimmed is gone from the oldest on, and may go on going.
    if (begins > after + 1 && firstSeq(tx, filter.id()).orElse(begins) < begins) {
      throw JournalChain.after(filter.name(), after).lacksNext();
    }
    JournalChain chain = JournalChain.after(filter.name(), begins - 1);
    entries.forEach(chain::follow);
    return entries;
  }

  /**
   * The next entries of keys that were added after entry {@code after}, in ascending order; empty
   * where nothing more is. Says nothing about those that the journal lacks.
   */
  public List<JournalEntry> added(Tx tx, FilterRecord filter, long after) {
    return tx.dsl()
        .select(ENTRY)
        .from(Journals.TABLE)
        .where(Journals.FILTER_ID.eq(filter.id()))
        .and(Journals.SEQ.gt(after))
        .and(Journals.KIND.eq(JournalEntry.Kind.ADD.name()))
        .orderBy(Journals.SEQ)
        .limit(PAGE)
        .fetch(row -> JournalEntry.decode(filter.name(), filter.layout(), row));
  }

  /**
   * The first entries after {@code after} up to {@code last}, as they are now, whatever snapshot
   * the transaction has; fewer if the journal lacks some.
   *
   * <p>Each row is named. Under REPEATABLE READ a range would also lock the gap behind it, and two
   * transactions that add to different filters could then block each other for good.
   */
  public List<JournalEntry> lockEntries(Tx tx, FilterRecord filter, long after, long last) {
    List<Long> wanted =
        LongStream.rangeClosed(after + 1, Math.min(last, after + PAGE)).boxed().toList();
    return tx.dsl()
        .select(ENTRY)
        // Of a small table the optimizer might read, and so lock, everything.
        .from(Journals.TABLE.forceIndex("PRIMARY"))
        .where(Journals.FILTER_ID.eq(filter.id()))
        .and(Journals.SEQ.in(wanted))
        .orderBy(Journals.SEQ)
        .limit(wanted.size())
        .forShare()
        .fetch(row -> JournalEntry.decode(filter.name(), filter.layout(), row));
  }

  /** The number of the oldest entry that the journal still holds. */
  public Optional<Long> firstSeq(Tx tx, long filterId) {
    return tx.dsl()
        .select(Journals.SEQ)
        .from(Journals.TABLE)
        .where(Journals.FILTER_ID.eq(filterId))
        .orderBy(Journals.SEQ)
        .limit(1)
        .fetchOptional(Journals.SEQ);
  }

  /** The token of an entry, if the journal still holds it. */
  public Optional<Long> tokenAt(Tx tx, long filterId, long seq) {
    return tx.dsl()
        .select(Journals.TOKEN)
        .from(Journals.TABLE)
        .where(Journals.FILTER_ID.eq(filterId))
        .and(Journals.SEQ.eq(seq))
        .fetchOptional(Journals.TOKEN);
  }

  /** Whether the journal holds that very entry; not if it was lost, or trimmed. */
  public boolean holds(Tx tx, long filterId, Cursor entry) {
    return tokenAt(tx, filterId, entry.seq()).equals(Optional.of(entry.token()));
  }

  /** Whether the journal still holds the entry that a chain has reached, if it has any. */
  public boolean holdsEndOf(Tx tx, long filterId, JournalChain chain) {
    Optional<Long> token = chain.token();
    return token.isEmpty() || tokenAt(tx, filterId, chain.seq()).equals(token);
  }

  /** Chains hashes to the end of the journal, as many entries as they need. Nothing is written. */
  public static List<JournalEntry> chain(
      Cursor end, JournalEntry.Kind kind, long[] hashes, LongSupplier tokens) {
    List<JournalEntry> entries = new ArrayList<>();
    Cursor last = end;
    for (int from = 0; from < hashes.length; from += JournalEntry.MAX_HASHES) {
      int to = Math.min(hashes.length, from + JournalEntry.MAX_HASHES);
      JournalEntry entry =
          new JournalEntry(
              last.seq() + 1,
              tokens.getAsLong(),
              last.token(),
              kind,
              Arrays.copyOfRange(hashes, from, to),
              null);
      entries.add(entry);
      last = entry.cursor();
    }
    return entries;
  }

  /**
   * Appends entries and moves the end of the journal in the catalog. Needs the lock of {@link
   * Catalog#lockHead}.
   *
   * @param entries at least one, chained to the head that was read under that lock
   */
  public void append(Tx tx, Catalog catalog, long filterId, List<JournalEntry> entries) {
    insert(tx, filterId, entries);
    catalog.advance(
        tx, filterId, entries.get(entries.size() - 1).cursor(), JournalEntry.newKeys(entries));
  }

  /**
   * As {@link #append}, of keys that are counted already: nobody is told that they are new.
   *
   * @param entries at least one, chained to the head that was read under that lock
   */
  public void appendAgain(Tx tx, Catalog catalog, long filterId, List<JournalEntry> entries) {
    insert(tx, filterId, entries);
    catalog.advance(tx, filterId, entries.get(entries.size() - 1).cursor(), 0);
  }

  /** Appends entries to which the end of the journal in the catalog was moved already. */
  public void insert(Tx tx, long filterId, List<JournalEntry> entries) {
    var insert =
        tx.dsl()
            .insertInto(
                Journals.TABLE,
                Journals.FILTER_ID,
                Journals.SEQ,
                Journals.TOKEN,
                Journals.PREVIOUS_TOKEN,
                Journals.KIND,
                Journals.PAYLOAD,
                Journals.CREATED_AT);
    for (JournalEntry entry : entries) {
      insert =
          insert.values(
              val(filterId),
              val(entry.seq()),
              val(entry.token()),
              val(entry.previousToken()),
              val(entry.kind().name()),
              val(entry.payload()),
              Tables.UTC_NOW);
    }
    insert.execute();
  }

  /** How long ago an entry was written, by the clock of the server, if the journal holds it. */
  public Optional<Duration> age(Tx tx, long filterId, long seq) {
    return tx.dsl()
        .select(AGE_MICROS)
        .from(Journals.TABLE)
        .where(Journals.FILTER_ID.eq(filterId))
        .and(Journals.SEQ.eq(seq))
        .fetchOptional(AGE_MICROS)
        .map(micros -> Duration.of(Math.max(0, micros), ChronoUnit.MICROS));
  }

  /** Rows of a filter, folded ones included. */
  public long rows(Tx tx, long filterId) {
    return tx.dsl()
        .select(count())
        .from(Journals.TABLE)
        .where(Journals.FILTER_ID.eq(filterId))
        .fetchSingle()
        .value1();
  }

  /**
   * Deletes rows that are older than the retention, as a prefix, and never the newest one.
   *
   * @param last number of the last one that may go
   * @param limit rows to delete at most
   * @return rows that were deleted
   */
  public int trim(Tx tx, long filterId, long last, Duration retention, int limit) {
    Field<Boolean> old = olderThan(retention);
    Result<Record2<Long, Boolean>> oldest =
        tx.dsl()
            .select(Journals.SEQ, old)
            .from(Journals.TABLE)
            .where(Journals.FILTER_ID.eq(filterId))
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
   * The oldest entries that are older than the retention, as a prefix.
   *
   * @param last number of the last one that may go
   * @param mostRows how many to look for at most
   * @param mostBytes of payload, at most
   */
  public OldEntries old(Tx tx, FilterRecord filter, long last, int mostRows, long mostBytes) {
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

  /** Deletes rows of a filter with numbers below {@code seq}, oldest first. */
  public int deleteBefore(Tx tx, long filterId, long seq, int limit) {
    return tx.dsl()
        .deleteFrom(Journals.TABLE)
        .where(Journals.FILTER_ID.eq(filterId))
        .and(Journals.SEQ.lt(seq))
        .orderBy(Journals.SEQ)
        .limit(limit)
        .execute();
  }

  /**
   * The heads of many filters, in one statement. A filter that is gone is missing from the answer,
   * and so is one that this version cannot read, or the others would not be heard of either.
   */
  public Map<Long, Pulse> pulses(Tx tx, Collection<Long> filterIds) {
    Map<Long, Pulse> pulses = new HashMap<>();
    for (Record row :
        tx.dsl()
            .select(Filters.ID, Filters.NAME, SERVER)
            .select(HEAD)
            .select(sessionFit(tx))
            .from(Filters.TABLE)
            .join(Folds.TABLE)
            .on(Folds.FILTER_ID.eq(Filters.ID))
            .where(Filters.ID.in(filterIds))
            .fetch()) {
      requireFitSession(tx, row);
      try {
        FilterHead head = CatalogRows.head(new FilterName(row.get(Filters.NAME)), row);
        pulses.put(
            row.get(Filters.ID), new Pulse(head, row.get(Folds.FOLDED_SEQ), row.get(SERVER)));
      } catch (UnsupportedFormatException e) {
        log.debug("a filter is left out of the heartbeat", e);
      }
    }
    return pulses;
  }

  private static void requireFitSession(Tx tx, Record row) {
    if (!tx.prepared() && !row.get(SESSION_FIT)) {
      throw new Database.SessionUnfit();
    }
  }
}
