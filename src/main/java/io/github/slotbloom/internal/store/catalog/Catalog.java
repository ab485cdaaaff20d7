package io.github.slotbloom.internal.store.catalog;

import static org.jooq.impl.DSL.condition;
import static org.jooq.impl.DSL.field;
import static org.jooq.impl.DSL.name;
import static org.jooq.impl.DSL.row;
import static org.jooq.impl.DSL.selectCount;
import static org.jooq.impl.DSL.selectOne;

import io.github.slotbloom.core.FilterName;
import io.github.slotbloom.error.CorruptFilterException;
import io.github.slotbloom.error.FilterNotFoundException;
import io.github.slotbloom.error.TransactionStateException;
import io.github.slotbloom.error.UnsupportedVersionException;
import io.github.slotbloom.internal.store.Tables.Ends;
import io.github.slotbloom.internal.store.Tables.Filters;
import io.github.slotbloom.internal.store.Tables.Folds;
import io.github.slotbloom.internal.store.Tables.Generations;
import io.github.slotbloom.internal.store.Tables.Journals;
import io.github.slotbloom.internal.store.Tables.Replacements;
import io.github.slotbloom.internal.store.Tables.RescuedKeys;
import io.github.slotbloom.internal.store.Tables.Usages;
import io.github.slotbloom.internal.store.Tokens;
import io.github.slotbloom.internal.store.filter.FilterHead;
import io.github.slotbloom.internal.store.filter.FilterMake;
import io.github.slotbloom.internal.store.filter.FilterRecord;
import io.github.slotbloom.internal.store.filter.FilterState;
import io.github.slotbloom.internal.store.filter.GenerationRecord;
import io.github.slotbloom.internal.store.filter.GenerationState;
import io.github.slotbloom.internal.store.session.CallerTransaction;
import io.github.slotbloom.internal.store.session.DatabaseFailure;
import io.github.slotbloom.internal.store.session.SessionFitness;
import io.github.slotbloom.internal.store.session.TimeLimit;
import io.github.slotbloom.internal.store.session.Tx;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.jooq.Condition;
import org.jooq.Field;
import org.jooq.Record;
import org.jooq.Result;
import org.jooq.Row5;
import org.jooq.SelectQuery;
import org.jooq.Table;
import org.jooq.exception.IntegrityConstraintViolationException;
import org.jooq.impl.SQLDataType;

/** Reads and writes the tables {@code bloom_filter} and {@code bloom_generation}. */
public final class Catalog {

  public static final List<Field<?>> HEAD =
      List.of(
          CatalogRows.STATE,
          ExpirySql.MILLIS,
          Filters.FORMAT_VERSION,
          Filters.MERGED,
          Filters.EPOCH,
          Ends.LAST_SEQ,
          Ends.LAST_TOKEN,
          Ends.FENCE,
          CatalogRows.KEYS_ADDED,
          CatalogRows.KEYS_REMOVED,
          CatalogRows.KEYS_RENEWED,
          CatalogRows.COUNTS_DOWN,
          Filters.CAPACITY,
          Filters.GENERATION_TOKEN,
          Filters.ON_FULL,
          CatalogRows.BUCKET);

  /** A key count above this one is taken for this one, so that arithmetic cannot overflow. */
  public static final long MOST_COUNTED_KEYS = 1L << 60;

  /** The rows that {@link #HEAD} is read from. */
  public static final Table<Record> HEAD_ROWS =
      Filters.TABLE.leftJoin(Ends.TABLE).on(Ends.of(Filters.ID));

  /** The condition for a generation that was begun by an entry. */
  static final Condition IS_BEGUN =
      Generations.STATE.notIn(GenerationState.CREATING.name(), GenerationState.READY.name());

  private static final Field<Boolean> AUTOCOMMIT =
      field("@@SESSION.autocommit", SQLDataType.BOOLEAN).as("autocommit_mode");

  private static final List<Field<?>> GENERATION =
      List.of(
          Generations.GENERATION,
          CatalogRows.GENERATION_STATE,
          Generations.STATE_TOKEN,
          Generations.SINCE_SEQ,
          Generations.SINCE_TOKEN,
          Generations.CUTOVER_SEQ,
          CatalogRows.GENERATION_CAPACITY,
          CatalogRows.GENERATION_RATE,
          Generations.BITS,
          Generations.HASHES,
          CatalogRows.GENERATION_BUCKET);

  private static final List<Field<?>> PARAMETERS =
      List.of(
          Filters.ID,
          Filters.GROWABLE,
          Filters.REMOVABLE_PERCENT,
          CatalogRows.COUNTS_REMOVED,
          Filters.RATE,
          Filters.RETENTION_SECONDS,
          Filters.WINDOW_RENEWS);

  /** The columns of a filter and of one of its generations. */
  public static final List<Field<?>> FILTER =
      Stream.of(HEAD, FilterMake.FIELDS, PARAMETERS, GENERATION).flatMap(List::stream).toList();

  /** The condition for the generations of a filter. */
  public static final Condition ITS_GENERATIONS =
      Generations.FILTER_ID.eq(Filters.ID).and(IS_BEGUN);

  private Catalog() {}

  /** Reads the filter with its generations in one statement. */
  public static Optional<FilterRecord> find(Tx tx, FilterName name) {
    return read(tx, Filters.NAME.eq(name.value()));
  }

  /**
   * Reads an opened filter with its generations as it is now, in one statement.
   *
   * @return empty if the filter is gone, even if another filter has its id since
   * @throws FilterNotFoundException if the filter was renamed
   */
  public static Optional<FilterRecord> find(Tx tx, FilterRecord opened) {
    return find(tx, opened.id()).filter(opened::isNow);
  }

  /**
   * Returns a field of a query of {@link #HEAD_ROWS}: true if a filter and its generations are
   * those of the record, with every value that decides about the bits of a key.
   */
  public static Field<Boolean> isAsRead(FilterRecord filter) {
    List<Row5<Integer, Long, Long, Long, Integer>> generations =
        filter.set().all().stream()
            .map(
                generation ->
                    row(
                        generation.number(),
                        generation.sinceSeq(),
                        generation.sinceToken(),
                        generation.parameters().bits(),
                        generation.parameters().hashes()))
            .toList();
    Field<Integer> known =
        field(
            selectCount()
                .from(Generations.TABLE)
                .where(Generations.FILTER_ID.eq(filter.id()))
                .and(
                    row(
                            Generations.GENERATION,
                            Generations.SINCE_SEQ,
                            Generations.SINCE_TOKEN,
                            Generations.BITS,
                            Generations.HASHES)
                        .in(generations)));
    return field(
            condition(FilterRecord.UNCHANGED, filter.unchanged().toArray())
                .and(FilterMake.CREATED_MILLIS_OF_ROW.eq(filter.createdAt().toEpochMilli()))
                .and(Filters.GENERATION_TOKEN.eq(filter.head().generationToken()))
                .and(known.eq(generations.size())))
        .as("as_read");
  }

  /** Returns the name that an opened filter has now, or empty if the filter is gone. */
  public static Optional<FilterName> nameNow(Tx tx, FilterRecord opened) {
    return tx.dsl()
        .select(Filters.NAME)
        .from(Filters.TABLE)
        .where(Filters.ID.eq(opened.id()))
        .and(FilterMake.CREATED_MILLIS_OF_ROW.eq(opened.createdAt().toEpochMilli()))
        .fetchOptional(row -> new FilterName(row.get(Filters.NAME)));
  }

  /**
   * Refuses an opened filter that has another name now.
   *
   * @throws FilterNotFoundException if it has; the message shows both names
   */
  public static void requireNotRenamed(Tx tx, FilterRecord opened) {
    nameNow(tx, opened)
        .ifPresent(now -> FilterMake.requireNotRenamed(opened.name().value(), now.value()));
  }

  /** Returns true if a filter has that number, in any state. */
  public static boolean exists(Tx tx, long filterId) {
    return tx.dsl().fetchExists(selectOne().from(Filters.TABLE).where(Filters.ID.eq(filterId)));
  }

  /** Reads the filter with its generations in one statement. */
  public static Optional<FilterRecord> find(Tx tx, long filterId) {
    return read(tx, Filters.ID.eq(filterId));
  }

  /**
   * Reads the generations of a filter up to the newest as they are now, whatever snapshot the
   * transaction has. Needs the lock of {@link #lockHead}.
   *
   * <p>The query names each row. A range would also lock its neighbors, where other filters have
   * their rows.
   *
   * @return the same filter with these generations; empty if they do not lead to the newest
   */
  public static Optional<FilterRecord> lockGenerations(
      Tx tx, FilterRecord filter, FilterHead head) {
    List<Record> rows = new ArrayList<>();
    int number = filter.generations().get(0).number();
    while (true) {
      Record row =
          tx.dsl()
              .select(GENERATION)
              .from(Generations.TABLE.forceIndex("PRIMARY"))
              .where(Generations.FILTER_ID.eq(filter.id()))
              .and(Generations.GENERATION.eq(number))
              .limit(1)
              .forShare()
              .fetchOne();
      if (row == null) {
        return Optional.empty();
      }
      rows.add(row);
      if (row.get(Generations.STATE_TOKEN) == head.generationToken()) {
        return Optional.of(
            filter.with(
                head,
                CatalogRows.set(
                    filter.name(), filter.tables(), filter.layout(), filter.window(), rows)));
      }
      number++;
    }
  }

  /**
   * Takes a shared lock on the row of a generation until the transaction ends. Use it where the
   * transaction and the schema may be the wrong ones. The lock delays only {@link #awaitSharers}.
   * It does not delay other holders of the shared lock, or transactions that add. The row of a
   * window is only read: nothing waits for sharers there, and the next rotation would have to wait
   * for this transaction.
   *
   * @param atMost the longest time to wait for a transaction with an exclusive lock
   * @return false if this schema does not hold that same generation, or if it no longer answers
   */
  public static boolean share(Tx tx, long filterId, GenerationRecord generation, Duration atMost) {
    SelectQuery<Record> query =
        tx.dsl()
            .select(List.of(Generations.STATE, Generations.SINCE_TOKEN))
            .from(Generations.TABLE.forceIndex("PRIMARY"))
            .where(Generations.FILTER_ID.eq(filterId))
            .and(Generations.GENERATION.eq(generation.number()))
            .limit(1)
            .getQuery();
    query.setForShare(generation.bucket() == null);
    Result<Record> rows = TimeLimit.fetch(tx, query, atMost);
    return rows.size() == 1
        && rows.get(0).get(Generations.STATE).equals(GenerationState.ACTIVE.name())
        && rows.get(0).get(Generations.SINCE_TOKEN) == generation.sinceToken();
  }

  /**
   * Waits until the transactions that share the row of an older generation have ended. These are
   * the transactions that hold the lock of {@link #share} when this is called.
   *
   * @param atMost the longest time to wait in one call; {@link #lockGenerations} may wait behind
   *     this call for as long, and its caller then holds the lock that all adds need
   * @throws DatabaseFailure that is replayable, if some of them have not ended by then
   */
  public static void awaitSharers(Tx tx, long filterId, int generation, Duration atMost) {
    SelectQuery<Record> query =
        tx.dsl()
            .select(List.of(Generations.GENERATION))
            .from(Generations.TABLE.forceIndex("PRIMARY"))
            .where(Generations.FILTER_ID.eq(filterId))
            .and(Generations.GENERATION.lt(generation))
            .forUpdate()
            .getQuery();
    TimeLimit.fetch(tx, query, atMost);
  }

  private static Optional<FilterRecord> read(Tx tx, Condition which) {
    Result<Record> rows =
        tx.dsl()
            .select(FILTER)
            .select(SessionFitness.field(tx))
            .from(HEAD_ROWS)
            .leftJoin(Generations.TABLE)
            .on(ITS_GENERATIONS)
            .where(which)
            .orderBy(Generations.GENERATION)
            .fetch();
    if (rows.isEmpty() || !SessionFitness.isFit(tx, rows.get(0))) {
      // A session of ours tells whether the server may answer.
      SessionFitness.requireKnown(tx);
    }
    return rows.isEmpty() ? Optional.empty() : Optional.of(CatalogRows.filter(rows));
  }

  /**
   * Returns the names, in order, of all filters that can be opened or are being cleared, and of
   * those that expired, with their states.
   */
  public static Map<String, FilterState> names(Tx tx) {
    Map<String, FilterState> names = new LinkedHashMap<>();
    tx.dsl()
        .select(Filters.NAME, CatalogRows.STATE)
        .from(Filters.TABLE)
        .where(Filters.STATE.in(FilterState.ACTIVE.name(), FilterState.CLEARING.name()))
        .or(Filters.STATE.eq(FilterState.DROPPING.name()).and(ExpirySql.HAS_COME))
        .orderBy(Filters.NAME)
        .forEach(row -> names.put(row.value1(), FilterState.valueOf(row.value2())));
    return names;
  }

  /**
   * Locks the row of a filter that is not open here until the transaction ends, and reads its
   * changing part.
   */
  public static Optional<FilterHead> lockHead(Tx tx, long filterId) {
    return tx.dsl()
        .select(HEAD)
        .select(Filters.NAME)
        .from(HEAD_ROWS)
        .where(Filters.ID.eq(filterId))
        .forUpdate()
        .fetchOptional(row -> CatalogRows.head(new FilterName(row.get(Filters.NAME)), row));
  }

  /**
   * Locks the row of an opened filter until the transaction ends, and reads its changing part.
   *
   * @return empty if the filter is gone, even if another filter has its id since
   * @throws FilterNotFoundException if the filter was renamed
   * @throws UnsupportedVersionException if a later version changed the filter
   * @throws CorruptFilterException if a value that never changes was changed
   */
  public static Optional<FilterHead> lockHead(Tx tx, FilterRecord opened) {
    return tx.dsl()
        .select(HEAD)
        .select(FilterMake.FIELDS)
        .from(HEAD_ROWS)
        .where(Filters.ID.eq(opened.id()))
        .forUpdate()
        .fetchOptional()
        .flatMap(row -> headOf(opened, row));
  }

  /**
   * Does the same for a transaction that changes more than the journal. Where several servers take
   * writes, a lock is known to one of them only. So the row of the end is written as well: of two
   * transactions that do so on two servers, one is rolled back.
   */
  public static Optional<FilterHead> lockHeadOnAllServers(Tx tx, FilterRecord opened) {
    Optional<FilterHead> head = lockHead(tx, opened);
    if (head.isPresent() && tx.group().isShared()) {
      fenceOff(tx, opened.id(), Tokens.next());
    }
    return head;
  }

  private static Optional<FilterHead> headOf(FilterRecord opened, Record row) {
    FilterMake before = opened.make();
    FilterMake now = FilterMake.of(row);
    before.requireNotRenamed(now);
    if (!before.isSameFilterAs(now)) {
      return Optional.empty();
    }
    FilterHead head = CatalogRows.head(opened.name(), row);
    before.requireUnchanged(now);
    return Optional.of(head);
  }

  /**
   * Locks like {@link #lockHead(Tx, FilterRecord)}, where the transaction and the schema may be the
   * wrong ones.
   *
   * @param atMost the longest time to wait for the lock
   * @return empty if this schema does not hold that same filter
   * @throws FilterNotFoundException if the filter was renamed
   * @throws TransactionStateException if the server commits each statement by itself, whatever the
   *     driver reports
   * @throws DatabaseFailure if the server takes no writes, or the session does not replicate, even
   *     if the account may write there
   */
  public static Optional<FilterHead> lockHead(Tx tx, FilterRecord opened, Duration atMost) {
    Field<Boolean> mayWrite = field(tx.conditions().writes(), SQLDataType.BOOLEAN).as("may_write");
    SelectQuery<Record> query =
        tx.dsl()
            .select(HEAD)
            .select(FilterMake.FIELDS)
            .select(AUTOCOMMIT)
            .select(mayWrite)
            .from(HEAD_ROWS)
            .where(Filters.ID.eq(opened.id()))
            .forUpdate()
            .getQuery();
    Result<Record> rows = TimeLimit.fetch(tx, query, atMost);
    if (rows.isEmpty()) {
      return Optional.empty();
    }
    Record row = rows.get(0);
    if (row.get(AUTOCOMMIT)) {
      throw CallerTransaction.required(opened.name());
    }
    if (!row.get(mayWrite)) {
      throw DatabaseFailure.ofSecondary();
    }
    return headOf(opened, row);
  }

  /** Counts the keys that are about to be merged. Needs the lock of {@link #lockHead}. */
  public static void merging(Tx tx, long filterId, long newKeys) {
    tx.dsl()
        .update(Ends.TABLE)
        .set(Ends.KEYS_ADDED, Ends.KEYS_ADDED.plus(newKeys))
        .where(Ends.of(filterId))
        .execute();
    tx.dsl()
        .update(Filters.TABLE)
        .set(Filters.MERGED, true)
        .where(Filters.ID.eq(filterId))
        .execute();
  }

  /**
   * Changes a value that has no meaning, so that the commit of this transaction must be made
   * durable, and all earlier commits with it.
   */
  public static void tick(Tx tx, long filterId) {
    tx.dsl()
        .update(Filters.TABLE)
        .set(Filters.DURABLE_TICKS, Filters.DURABLE_TICKS.plus(1))
        .where(Filters.ID.eq(filterId))
        .execute();
  }

  /**
   * Does the same as {@link #tick}, unless another transaction holds the row.
   *
   * @return false if another transaction holds the row, or if the filter is gone
   */
  public static boolean tickUnlessLocked(Tx tx, long filterId) {
    boolean free =
        tx.dsl()
            .select(Filters.ID)
            .from(Filters.TABLE)
            .where(Filters.ID.eq(filterId))
            .forUpdate()
            .skipLocked()
            .fetchOptional()
            .isPresent();
    if (free) {
      tick(tx, filterId);
    }
    return free;
  }

  /** Begins a new epoch in the given state. Needs the lock of {@link #lockHead}. */
  public static void beginEpoch(Tx tx, long filterId, FilterState state) {
    tx.dsl()
        .update(Filters.TABLE)
        .set(Filters.STATE, state.name())
        .set(Filters.EPOCH, Filters.EPOCH.plus(1))
        .where(Filters.ID.eq(filterId))
        .execute();
    setKeysAdded(tx, filterId, 0);
    setKeysRemoved(tx, filterId, 0);
    tx.dsl()
        .update(Ends.TABLE)
        .set(Ends.KEYS_RENEWED, 0L)
        .where(Ends.of(filterId))
        .and(Ends.KEYS_RENEWED.isNotNull())
        .execute();
  }

  /** Sets the number of added keys. Needs the lock of {@link #lockHead}. */
  public static void setKeysAdded(Tx tx, long filterId, long keys) {
    tx.dsl().update(Ends.TABLE).set(Ends.KEYS_ADDED, keys).where(Ends.of(filterId)).execute();
  }

  /**
   * Sets the number of removed keys, if keys can be removed. Needs the lock of {@link #lockHead}.
   */
  public static void setKeysRemoved(Tx tx, long filterId, long keys) {
    tx.dsl()
        .update(Ends.TABLE)
        .set(Ends.KEYS_REMOVED, keys)
        .where(Ends.of(filterId))
        .and(Ends.KEYS_REMOVED.isNotNull())
        .execute();
  }

  /**
   * Makes an append fail that was sent earlier by a process that knew the present end, and that may
   * arrive later than this transaction commits. Where several servers take writes, either such an
   * append fails or this transaction does. Needs the lock of {@link #lockHead}.
   *
   * @param token a token from {@link Tokens#next}
   */
  public static void fenceOff(Tx tx, long filterId, long token) {
    tx.dsl().update(Ends.TABLE).set(Ends.FENCE, token).where(Ends.of(filterId)).execute();
  }

  /**
   * Returns the slot tables of all generations of a filter, including those that were never used.
   */
  public static List<String> slotTables(Tx tx, FilterRecord filter) {
    return tx.dsl()
        .select(Generations.GENERATION)
        .from(Generations.TABLE)
        .where(Generations.FILTER_ID.eq(filter.id()))
        .orderBy(Generations.GENERATION)
        .fetch(row -> filter.tables().slots(row.value1()));
  }

  /**
   * Gives a filter another name, and makes an append fail that was sent earlier by a process that
   * has the filter open. Needs the lock of {@link #lockHead}.
   *
   * @return false, with nothing changed, if there is a filter of the new name
   */
  public static boolean rename(Tx tx, long filterId, FilterName newName) {
    try {
      tx.dsl()
          .update(Filters.TABLE)
          .set(Filters.NAME, newName.value())
          .where(Filters.ID.eq(filterId))
          .execute();
    } catch (IntegrityConstraintViolationException e) {
      return false;
    }
    fenceOff(tx, filterId, Tokens.next());
    return true;
  }

  /** Sets the state of a filter. Needs the lock of {@link #lockHead}. */
  public static void setState(Tx tx, long filterId, FilterState state) {
    tx.dsl()
        .update(Filters.TABLE)
        .set(Filters.STATE, state.name())
        .where(Filters.ID.eq(filterId))
        .execute();
  }

  /** Deletes the rows of a filter. */
  public static void deleteRows(Tx tx, long filterId) {
    tx.dsl().deleteFrom(Folds.TABLE).where(Folds.FILTER_ID.eq(filterId)).execute();
    tx.dsl().deleteFrom(Replacements.TABLE).where(Replacements.FILTER_ID.eq(filterId)).execute();
    tx.dsl().deleteFrom(Usages.TABLE).where(Usages.FILTER_ID.eq(filterId)).execute();
    tx.dsl().deleteFrom(RescuedKeys.TABLE).where(RescuedKeys.FILTER_ID.eq(filterId)).execute();
    tx.dsl().deleteFrom(Generations.TABLE).where(Generations.FILTER_ID.eq(filterId)).execute();
    tx.dsl().deleteFrom(Journals.TABLE).where(Journals.FILTER_ID.eq(filterId)).execute();
    tx.dsl().deleteFrom(Filters.TABLE).where(Filters.ID.eq(filterId)).execute();
  }
}
