package io.github.slotbloom.internal.store.journal;

import static org.jooq.impl.DSL.field;
import static org.jooq.impl.DSL.max;

import io.github.slotbloom.core.FilterName;
import io.github.slotbloom.error.CorruptFilterException;
import io.github.slotbloom.error.UnsupportedVersionException;
import io.github.slotbloom.internal.store.Tables;
import io.github.slotbloom.internal.store.Tables.Filters;
import io.github.slotbloom.internal.store.Tables.Folds;
import io.github.slotbloom.internal.store.Tables.Journals;
import io.github.slotbloom.internal.store.Tokens;
import io.github.slotbloom.internal.store.catalog.Catalog;
import io.github.slotbloom.internal.store.catalog.CatalogRows;
import io.github.slotbloom.internal.store.filter.Cursor;
import io.github.slotbloom.internal.store.filter.FilterHead;
import io.github.slotbloom.internal.store.filter.FilterRecord;
import io.github.slotbloom.internal.store.session.ServerSettings;
import io.github.slotbloom.internal.store.session.SessionFitness;
import io.github.slotbloom.internal.store.session.Tx;
import io.github.slotbloom.internal.store.slots.MergedBits;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.LongStream;
import org.jooq.Field;
import org.jooq.Record;
import org.jooq.ResultQuery;
import org.jooq.impl.SQLDataType;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads and writes the table {@code bloom_journal}. For each filter it holds one total order of
 * entries.
 */
public final class Journal {

  private static final Logger log = LoggerFactory.getLogger(Journal.class);

  private static final Field<Long> AGE_MICROS =
      field(
          "TIMESTAMPDIFF(MICROSECOND, {0}, UTC_TIMESTAMP(6))",
          SQLDataType.BIGINT, Journals.CREATED_AT);

  private static final Field<Long> HASHES =
      field("SUM(LENGTH({0}) DIV 8)", SQLDataType.BIGINT, Journals.PAYLOAD);

  private static final Field<Long> LENGTH =
      field("LENGTH({0})", SQLDataType.BIGINT, Journals.PAYLOAD);

  /** How many of the newest entries are measured for an estimate of all. */
  private static final int MEASURED = 256;

  /** The bytes of an entry besides its payload: its header and the other columns. */
  private static final long LEAST_ROW_BYTES = 70;

  /** The server that answers, as in {@link ServerSettings#server}. */
  private static final Field<String> SERVER =
      field(
              "CONCAT_WS('/', @@GLOBAL.hostname, @@GLOBAL.port, @@GLOBAL.server_id)",
              SQLDataType.VARCHAR)
          .as("server");

  private static final Field<Long> CLOCK =
      field(Tables.MICROS_NOW, SQLDataType.BIGINT).as("clock_micros");

  private Journal() {}

  /**
   * Reads the next committed entries, and moves the chain to the last of them. Returns an empty
   * list if there are none.
   *
   * @param last number of the last entry to read
   * @throws CorruptFilterException if the entries do not continue the chain
   */
  public static List<JournalEntry> next(Tx tx, FilterRecord filter, JournalChain chain, long last) {
    return chain.follow(visible(tx, filter, chain.seq(), last), last);
  }

  /** Selects the next rows after {@code after}, up to {@code last}, as many as are read at once. */
  static ResultQuery<Record> rows(Tx tx, FilterRecord filter, long after, long last) {
    return tx.dsl()
        .select(JournalEntry.FIELDS)
        .from(Journals.TABLE)
        .where(Journals.FILTER_ID.eq(filter.id()))
        .and(Journals.SEQ.gt(after))
        .and(Journals.SEQ.le(last))
        .orderBy(Journals.SEQ)
        .limit(JournalEntry.PAGE);
  }

  /**
   * Reads the next entries after {@code after}, up to {@code last}, that the journal still holds.
   * Trimmed entries are left out. Returns an empty list if there are no more.
   *
   * @throws CorruptFilterException if other entries are missing
   */
  public static List<JournalEntry> held(Tx tx, FilterRecord filter, long after, long last) {
    List<JournalEntry> entries = visible(tx, filter, after, last);
    long begins = entries.isEmpty() ? last + 1 : entries.get(0).seq();
    // Trimming removes only the oldest entries, and may go on during this read.
    if (begins > after + 1 && firstSeq(tx, filter.id()).orElse(begins) < begins) {
      throw JournalChain.after(filter.name(), after).lacksNext();
    }
    JournalChain chain = JournalChain.after(filter.name(), begins - 1);
    entries.forEach(chain::follow);
    return entries;
  }

  /**
   * Reads the next entries after {@code after}, up to {@code last}, as far as the snapshot of the
   * transaction shows them. Does not check if the journal lacks entries.
   */
  static List<JournalEntry> visible(Tx tx, FilterRecord filter, long after, long last) {
    return rows(tx, filter, after, last).fetch(row -> JournalEntry.decode(filter, row));
  }

  /** Returns true if the journal holds an entry of a kind after entry {@code after}. */
  public static boolean holdsKind(Tx tx, long filterId, long after, JournalEntry.Kind kind) {
    return tx.dsl()
        .fetchExists(
            Journals.TABLE,
            Journals.FILTER_ID
                .eq(filterId)
                .and(Journals.SEQ.gt(after))
                .and(Journals.KIND.eq(kind.name())));
  }

  /**
   * Reads the first entries after {@code after}, up to {@code last}, as they are now, whatever
   * snapshot the transaction has. Returns fewer entries if the journal lacks some.
   *
   * <p>The query names each row. Under REPEATABLE READ a range would also lock the gap behind it.
   * Two transactions that add to different filters could then block each other for good.
   */
  public static List<JournalEntry> lockEntries(Tx tx, FilterRecord filter, long after, long last) {
    List<Long> wanted =
        LongStream.rangeClosed(after + 1, Math.min(last, after + JournalEntry.PAGE))
            .boxed()
            .toList();
    return tx.dsl()
        .select(JournalEntry.FIELDS)
        // For a small table the optimizer might read, and so lock, all rows.
        .from(Journals.TABLE.forceIndex("PRIMARY"))
        .where(Journals.FILTER_ID.eq(filter.id()))
        .and(Journals.SEQ.in(wanted))
        .orderBy(Journals.SEQ)
        .limit(wanted.size())
        .forShare()
        .fetch(row -> JournalEntry.decode(filter, row));
  }

  /**
   * Returns the number of the oldest entry that the journal holds now, whatever snapshot the
   * transaction has. Needs the lock of the head.
   *
   * @param last number of the newest entry
   * @return one more than {@code last} if there is no entry
   */
  static long firstSeqNow(Tx tx, FilterRecord filter, long last) {
    long first = firstSeq(tx, filter.id()).orElse(last + 1);
    // The snapshot of a caller's transaction may be of a time at which the journal was empty. It
    // lacks all that others appended since, also before what the transaction appended itself.
    long looked = 1;
    while (first > 1) {
      List<JournalEntry> before =
          lockEntries(tx, filter, Math.max(0, first - 1 - looked), first - 1);
      if (before.isEmpty()) {
        return first;
      }
      first = before.get(0).seq();
      looked = JournalEntry.PAGE;
    }
    return first;
  }

  /** Returns the number of the oldest entry that the journal still holds. */
  public static Optional<Long> firstSeq(Tx tx, long filterId) {
    return tx.dsl()
        .select(Journals.SEQ)
        .from(Journals.TABLE)
        .where(Journals.FILTER_ID.eq(filterId))
        .and(Journals.SEQ.gt(0L))
        .orderBy(Journals.SEQ)
        .limit(1)
        .fetchOptional(Journals.SEQ);
  }

  /** Returns the token of an entry, if the journal still holds it. */
  public static Optional<Long> tokenAt(Tx tx, long filterId, long seq) {
    return tx.dsl()
        .select(Journals.TOKEN)
        .from(Journals.TABLE)
        .where(Journals.FILTER_ID.eq(filterId))
        .and(Journals.SEQ.eq(seq))
        .and(Journals.SEQ.gt(0L))
        .fetchOptional(Journals.TOKEN);
  }

  /**
   * Returns true if the journal holds an entry with that number and token. Returns false if the
   * entry was lost or trimmed.
   */
  public static boolean holds(Tx tx, long filterId, Cursor entry) {
    return tokenAt(tx, filterId, entry.seq()).equals(Optional.of(entry.token()));
  }

  public static boolean holdsAny(Tx tx, long filterId, List<Cursor> entries) {
    return entries.stream().anyMatch(entry -> holds(tx, filterId, entry));
  }

  /**
   * Returns true if the journal still holds the last entry of the chain, or if the chain does not
   * know the token of that entry.
   */
  public static boolean holdsEndOf(Tx tx, long filterId, JournalChain chain) {
    Optional<Long> token = chain.token();
    return token.isEmpty() || tokenAt(tx, filterId, chain.seq()).equals(token);
  }

  /**
   * Creates entries with the hashes, chained to the end of the journal. Creates as many entries as
   * the hashes need. Writes nothing.
   */
  public static List<JournalEntry> chain(Cursor end, JournalEntry.Kind kind, long[] hashes) {
    List<JournalEntry> entries = new ArrayList<>();
    Cursor last = end;
    for (int from = 0; from < hashes.length; from += JournalEntry.MAX_HASHES) {
      int to = Math.min(hashes.length, from + JournalEntry.MAX_HASHES);
      JournalEntry entry =
          JournalEntry.ofKeys(kind, Arrays.copyOfRange(hashes, from, to), last, Tokens.next());
      entries.add(entry);
      last = entry.cursor();
    }
    return entries;
  }

  /**
   * Creates entries with the bits, one entry each, chained to the end of the journal. Writes
   * nothing.
   */
  public static List<JournalEntry> chain(Cursor end, List<MergedBits> bits) {
    List<JournalEntry> entries = new ArrayList<>(bits.size());
    Cursor last = end;
    for (MergedBits merged : bits) {
      JournalEntry entry = JournalEntry.merging(merged, last, Tokens.next());
      entries.add(entry);
      last = entry.cursor();
    }
    return entries;
  }

  /**
   * Returns the time since an entry was written, by the server's clock, or empty if the journal
   * does not hold the entry.
   */
  public static Optional<Duration> age(Tx tx, long filterId, long seq) {
    return tx.dsl()
        .select(AGE_MICROS)
        .from(Journals.TABLE)
        .where(Journals.FILTER_ID.eq(filterId))
        .and(Journals.SEQ.eq(seq))
        .fetchOptional(AGE_MICROS)
        .map(micros -> Duration.of(Math.max(0, micros), ChronoUnit.MICROS));
  }

  /**
   * The hashes in several entries of one kind.
   *
   * @param lastSeq the number of the last of these entries
   */
  public record HashCount(JournalEntry.Kind kind, long lastSeq, long hashes) {}

  /**
   * Counts the hashes in entries with new keys and with keys of a replacement.
   *
   * @param after the number of the entry before the first
   * @param last the number of the last entry
   */
  public static List<HashCount> hashes(Tx tx, long filterId, long after, long last) {
    return tx.dsl()
        .select(Journals.KIND, max(Journals.SEQ), HASHES)
        .from(Journals.TABLE)
        .where(Journals.FILTER_ID.eq(filterId))
        .and(Journals.SEQ.gt(after))
        .and(Journals.SEQ.le(last))
        .and(Journals.KIND.in(JournalEntry.Kind.ADD.name(), JournalEntry.Kind.FILL.name()))
        .groupBy(Journals.KIND)
        .fetch(
            row ->
                new HashCount(JournalEntry.Kind.valueOf(row.value1()), row.value2(), row.value3()));
  }

  /** Returns the number of entries of a filter, including folded ones. */
  public static long rows(Tx tx, long filterId) {
    return tx.dsl()
        .fetchCount(Journals.TABLE, Journals.FILTER_ID.eq(filterId).and(Journals.SEQ.gt(0L)));
  }

  /**
   * Estimates the bytes that the entries of a filter take, from the payloads of the newest ones:
   * not more of them are read, since they may be large.
   *
   * @param rows the number of entries
   */
  public static long bytes(Tx tx, long filterId, long rows) {
    List<Long> newest =
        tx.dsl()
            .select(LENGTH)
            .from(Journals.TABLE)
            .where(Journals.FILTER_ID.eq(filterId).and(Journals.SEQ.gt(0L)))
            .orderBy(Journals.SEQ.desc())
            .limit(MEASURED)
            .fetch(LENGTH);
    double payload = newest.stream().mapToLong(Long::longValue).average().orElse(0);
    return Math.round(rows * (LEAST_ROW_BYTES + payload));
  }

  /**
   * Reads the heads of many filters in one statement. The result leaves out filters that are gone.
   * It also leaves out filters that this version cannot read, so that they do not hide the others.
   */
  public static Map<Long, Pulse> pulses(Tx tx, Collection<Long> filterIds) {
    Map<Long, Pulse> pulses = new HashMap<>();
    for (Record row :
        tx.dsl()
            .select(Filters.ID, Filters.NAME, SERVER, CLOCK)
            .select(TailReader.HEAD)
            .select(SessionFitness.field(tx))
            .from(Catalog.HEAD_ROWS)
            .join(Folds.TABLE)
            .on(Folds.FILTER_ID.eq(Filters.ID))
            .where(Filters.ID.in(filterIds))
            .fetch()) {
      SessionFitness.require(tx, row);
      try {
        String name = row.get(Filters.NAME);
        FilterHead head = CatalogRows.head(new FilterName(name), row);
        pulses.put(
            row.get(Filters.ID),
            new Pulse(name, head, row.get(Folds.FOLDED_SEQ), row.get(CLOCK), row.get(SERVER)));
      } catch (UnsupportedVersionException e) {
        log.debug("a filter is left out of the heartbeat", e);
      }
    }
    return pulses;
  }
}
