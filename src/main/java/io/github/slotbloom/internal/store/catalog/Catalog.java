package io.github.slotbloom.internal.store.catalog;

import static org.jooq.impl.DSL.condition;
import static org.jooq.impl.DSL.field;
import static org.jooq.impl.DSL.name;
import static org.jooq.impl.DSL.selectOne;
import static org.jooq.impl.DSL.table;
import static org.jooq.impl.DSL.val;

import io.github.slotbloom.core.FilterName;
import io.github.slotbloom.error.CorruptFilterException;
import io.github.slotbloom.error.FilterExistsException;
import io.github.slotbloom.error.TransactionRequiredException;
import io.github.slotbloom.error.UnsupportedFormatException;
import io.github.slotbloom.internal.sql.InspectionQueries;
import io.github.slotbloom.internal.store.CallerTransaction;
import io.github.slotbloom.internal.store.DatabaseFailure;
import io.github.slotbloom.internal.store.Tables;
import io.github.slotbloom.internal.store.Tables.Filters;
import io.github.slotbloom.internal.store.Tables.Folds;
import io.github.slotbloom.internal.store.Tables.Generations;
import io.github.slotbloom.internal.store.Tables.HashBlockRows;
import io.github.slotbloom.internal.store.Tables.Journals;
import io.github.slotbloom.internal.store.Tables.Names;
import io.github.slotbloom.internal.store.Tables.Replacements;
import io.github.slotbloom.internal.store.Tables.Usages;
import io.github.slotbloom.internal.store.TimeLimit;
import io.github.slotbloom.internal.store.Tx;
import io.github.slotbloom.internal.store.journal.Cursor;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.jooq.Condition;
import org.jooq.Field;
import org.jooq.Record;
import org.jooq.Result;
import org.jooq.ResultQuery;
import org.jooq.SelectQuery;
import org.jooq.Table;
import org.jooq.impl.SQLDataType;
import org.jspecify.annotations.Nullable;

/** The tables {@code bloom_name}, {@code bloom_filter} and {@code bloom_generation}. */
public final class Catalog {

  /** The version of what is stored for a filter of one generation. */
  private static final int FIRST_FORMAT = 1;

  /** The version of what is stored for a filter that grew. */
  static final int GROWN_FORMAT = 2;

  /**
   * The version of what is stored for a filter whose generations are or were replaced, or can be
   * out of its own journal.
   */
  static final int REPLACEABLE_FORMAT = 3;

  /** The version of what is stored for a filter that another one was merged into. */
  public static final int MERGED_FORMAT = 4;

  /** The newest version of what this library stores for a filter. */
  public static final int NEWEST_FORMAT = MERGED_FORMAT;

  private static final Field<String> TABLE_NAME = field(name("table_name"), SQLDataType.VARCHAR);

  private static final Condition IN_THIS_SCHEMA =
      field(name("table_schema"), SQLDataType.VARCHAR).eq(field("DATABASE()", SQLDataType.VARCHAR));

  /** Read by people, and by {@link InspectionQueries}. */
  private static final List<String> VIEWS =
      List.of("bloom_filter_status", "bloom_generation_status", "bloom_replacement_status");

  private static final String LONG_AGO = "2000-01-01 00:00:00";

  public static final List<Field<?>> HEAD =
      List.of(
          Filters.STATE,
          Filters.FORMAT_VERSION,
          Filters.EPOCH,
          Filters.LAST_SEQ,
          Filters.LAST_TOKEN,
          CatalogRows.KEYS_ADDED,
          Filters.CAPACITY,
          Filters.GENERATION_TOKEN,
          Filters.ON_FULL);

  private static final Field<Boolean> AUTOCOMMIT =
      field("@@SESSION.autocommit", SQLDataType.BOOLEAN).as("autocommit_mode");

  private static final List<Field<?>> HEAD_OF =
      Stream.of(HEAD, FilterMake.FIELDS, List.of(AUTOCOMMIT))
          .<Field<?>>flatMap(List::stream)
          .toList();

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
          Generations.SLOT_TABLE);

  private static final List<Field<?>> PARAMETERS =
      List.of(Filters.ID, Filters.GROWABLE, Filters.RATE, Filters.RETENTION_SECONDS);

  /** The filter with its generations, read in one statement. */
  public Optional<FilterRecord> find(Tx tx, FilterName name) {
    return read(tx, Filters.NAME.eq(name.value()));
  }

  /** The filter with its generations, read in one statement. */
  public Optional<FilterRecord> find(Tx tx, long filterId) {
    return read(tx, Filters.ID.eq(filterId));
  }

  /**
   * The generations of a filter up to the newest, as they are now, whatever snapshot the
   * transaction has. Needs the lock of {@link #lockHead}.
   *
   * <p>Each row is named: a range would lock what lies beside it as well, where other filters have
   * their rows.
   *
   * @return the same filter with these; empty if they do not lead to the newest
   */
  public Optional<FilterRecord> lockGenerations(Tx tx, FilterRecord filter, FilterHead head) {
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
            filter.with(head, CatalogRows.set(filter.name(), filter.layout(), rows)));
      }
      number++;
    }
  }

  /**
   * Shares the row of a generation until the transaction ends, in a transaction and a schema that
   * are not known to be right. It is in the way of {@link #awaitSharers} alone: neither of others
   * who share it, nor of those who add.
   *
   * @param atMost how long to wait for whoever has it for himself
   * @return false if this schema does not hold that very generation, or it does not answer any more
   */
  public boolean share(Tx tx, long filterId, GenerationRecord generation, Duration atMost) {
    List<Field<?>> wanted = List.of(Generations.STATE, Generations.SINCE_TOKEN);
    SelectQuery<Record> query = tx.dsl().selectQuery();
    query.addSelect(wanted);
    query.addFrom(Generations.TABLE.forceIndex("PRIMARY"));
    query.addConditions(Generations.FILTER_ID.eq(filterId));
    query.addConditions(Generations.GENERATION.eq(generation.number()));
    query.addLimit(1);
    query.setForShare(true);
    Result<Record> rows = TimeLimit.fetch(tx, query, wanted, atMost);
    return rows.size() == 1
        && rows.get(0).get(Generations.STATE).equals(GenerationState.ACTIVE.name())
        && rows.get(0).get(Generations.SINCE_TOKEN) == generation.sinceToken();
  }

  /**
   * Waits until each transaction has ended that had the row of an older generation by {@link
   * #share} when this was called.
   *
   * @param atMost how long to wait at a time: so long {@link #lockGenerations} waits behind this,
   *     with the lock that all who add need
   * @throws DatabaseFailure that may be replayed, if some have not ended by then
   */
  public void awaitSharers(Tx tx, long filterId, int generation, Duration atMost) {
    List<Field<?>> wanted = List.of(Generations.GENERATION);
    SelectQuery<Record> query = tx.dsl().selectQuery();
    query.addSelect(wanted);
    query.addFrom(Generations.TABLE.forceIndex("PRIMARY"));
    query.addConditions(Generations.FILTER_ID.eq(filterId));
    query.addConditions(Generations.GENERATION.lt(generation));
    query.setForUpdate(true);
    TimeLimit.fetch(tx, query, wanted, atMost);
  }

  private static Optional<FilterRecord> read(Tx tx, Condition which) {
    Result<Record> rows = select(tx, which).fetch();
    return rows.isEmpty() ? Optional.empty() : Optional.of(CatalogRows.filter(rows));
  }

  private static ResultQuery<Record> select(Tx tx, Condition which) {
    return tx.dsl()
        .select(HEAD)
        .select(FilterMake.FIELDS)
        .select(PARAMETERS)
        .select(GENERATION)
        .from(Filters.TABLE)
        .leftJoin(Generations.TABLE)
        .on(
            Generations.FILTER_ID
                .eq(Filters.ID)
                .and(Generations.STATE.ne(GenerationState.CREATING.name())))
        .where(which)
        .orderBy(Generations.GENERATION);
  }

  /**
   * Refuses what this version cannot read.
   *
   * @throws UnsupportedFormatException if another version of this library wrote the filter
   */
  public static void requireKnownFormat(FilterName name, FilterHead head) {
    if (head.formatVersion() < FIRST_FORMAT || head.formatVersion() > NEWEST_FORMAT) {
      throw new UnsupportedFormatException(
          "Filter "
              + name
              + " is stored in format "
              + head.formatVersion()
              + ", but this version of Slotbloom knows formats up to "
              + NEWEST_FORMAT
              + " only. Use the version that wrote it, or a newer one.");
    }
  }

  /** All filters that can be opened or are being cleared, by name. */
  public List<String> names(Tx tx) {
    return tx.dsl()
        .select(Filters.NAME)
        .from(Filters.TABLE)
        .where(Filters.STATE.in(FilterState.ACTIVE.name(), FilterState.CLEARING.name()))
        .orderBy(Filters.NAME)
        .fetch(Filters.NAME);
  }

  /**
   * The changing part of a filter that is not open here; its row stays locked until the transaction
   * ends.
   */
  public Optional<FilterHead> lockHead(Tx tx, long filterId) {
    return tx.dsl()
        .select(HEAD)
        .select(Filters.NAME)
        .from(Filters.TABLE)
        .where(Filters.ID.eq(filterId))
        .forUpdate()
        .fetchOptional(row -> CatalogRows.head(new FilterName(row.get(Filters.NAME)), row));
  }

  /**
   * The changing part of a filter that was opened; its row stays locked until the transaction ends.
   *
   * @return empty if it is gone, though another one may have its number since
   * @throws UnsupportedFormatException if a later version changed it
   * @throws CorruptFilterException if what never changes was changed
   */
  public Optional<FilterHead> lockHead(Tx tx, FilterRecord opened) {
    return tx.dsl()
        .select(HEAD)
        .select(FilterMake.FIELDS)
        .from(Filters.TABLE)
        .where(Filters.ID.eq(opened.id()))
        .forUpdate()
        .fetchOptional()
        .flatMap(row -> headOf(opened, row));
  }

  private static Optional<FilterHead> headOf(FilterRecord opened, Record row) {
    FilterMake before = FilterMake.of(opened);
    FilterMake now = FilterMake.of(row);
    if (!before.isSameFilterAs(now)) {
      return Optional.empty();
    }
    FilterHead head = CatalogRows.head(opened.name(), row);
    requireKnownFormat(opened.name(), head);
    before.requireUnchanged(now);
    return Optional.of(head);
  }

  /**
   * As {@link #lockHead(Tx, FilterRecord)}, in a transaction and a schema that are not known to be
   * right.
   *
   * @param atMost how long to wait for the lock
   * @return empty if this schema does not hold that very filter
   * @throws TransactionRequiredException if the server commits each statement by itself, whatever
   *     the driver thinks
   */
  public Optional<FilterHead> lockHead(Tx tx, FilterRecord opened, Duration atMost) {
    SelectQuery<Record> query = tx.dsl().selectQuery();
    query.addSelect(HEAD_OF);
    query.addFrom(Filters.TABLE);
    query.addConditions(Filters.ID.eq(opened.id()));
    query.setForUpdate(true);
    Result<Record> rows = TimeLimit.fetch(tx, query, HEAD_OF, atMost);
    if (rows.isEmpty()) {
      return Optional.empty();
    }
    Record row = rows.get(0);
    if (row.get(AUTOCOMMIT)) {
      throw CallerTransaction.required(opened.name());
    }
    return headOf(opened, row);
  }

  /**
   * Locks the row of a filter and moves the end of the journal and the count, if the row is as
   * expected: then nothing was appended since, and nothing can be until the transaction ends.
   *
   * @param expected what this process left there; with at least one entry, whose token tells this
   *     history from any other
   * @return false if it is anything else, and nothing was changed
   */
  public boolean advanceFrom(
      Tx tx, FilterRecord opened, FilterHead expected, Cursor end, long newKeys) {
    return tx.dsl()
            .update(Filters.TABLE)
            .set(Filters.LAST_SEQ, end.seq())
            .set(Filters.LAST_TOKEN, end.token())
            .set(Filters.KEYS_ADDED, Filters.KEYS_ADDED.plus(newKeys))
            .where(Filters.ID.eq(opened.id()))
            .and(Filters.LAST_SEQ.eq(expected.lastSeq()))
            .and(Filters.LAST_TOKEN.eq(expected.lastToken()))
            .and(Filters.EPOCH.eq(expected.epoch()))
            .and(Filters.KEYS_ADDED.eq(expected.keysAdded()))
            .and(Filters.CAPACITY.eq(expected.capacity()))
            .and(Filters.STATE.eq(expected.state().name()))
            .and(Filters.FORMAT_VERSION.eq(expected.formatVersion()))
            .and(Filters.ON_FULL.eq(expected.whenFull().name()))
            .and(FilterMake.of(opened).unchanged())
            .execute()
        == 1;
  }

  /** Moves the end of the journal and the count. Needs the lock of {@link #lockHead}. */
  public void advance(Tx tx, long filterId, Cursor end, long newKeys) {
    tx.dsl()
        .update(Filters.TABLE)
        .set(Filters.LAST_SEQ, end.seq())
        .set(Filters.LAST_TOKEN, end.token())
        .set(Filters.KEYS_ADDED, Filters.KEYS_ADDED.plus(newKeys))
        .where(Filters.ID.eq(filterId))
        .execute();
  }

  /**
   * Changes something that means nothing, so that the commit of this transaction has to be made
   * durable, and with it all commits before.
   */
  public void tick(Tx tx, long filterId) {
    tx.dsl()
        .update(Filters.TABLE)
        .set(Filters.DURABLE_TICKS, Filters.DURABLE_TICKS.plus(1))
        .where(Filters.ID.eq(filterId))
        .execute();
  }

  /**
   * As {@link #tick}, unless another transaction holds the row.
   *
   * @return false if one does, or if the filter is gone
   */
  public boolean tickUnlessLocked(Tx tx, long filterId) {
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
  public void beginEpoch(Tx tx, long filterId, FilterState state) {
    tx.dsl()
        .update(Filters.TABLE)
        .set(Filters.STATE, state.name())
        .set(Filters.EPOCH, Filters.EPOCH.plus(1))
        .set(Filters.KEYS_ADDED, 0L)
        .where(Filters.ID.eq(filterId))
        .execute();
  }

  /** The tables of all generations of a filter, also of those that never came to be used. */
  public List<String> slotTables(Tx tx, long filterId) {
    return tx.dsl()
        .select(Generations.SLOT_TABLE)
        .from(Generations.TABLE)
        .where(Generations.FILTER_ID.eq(filterId))
        .orderBy(Generations.GENERATION)
        .fetch(Generations.SLOT_TABLE);
  }

  /** Needs the lock of {@link #lockHead}. */
  public void setState(Tx tx, long filterId, FilterState state) {
    tx.dsl()
        .update(Filters.TABLE)
        .set(Filters.STATE, state.name())
        .where(Filters.ID.eq(filterId))
        .execute();
  }

  /** The number that the next slot table of that name gets. */
  public int nextGeneration(Tx tx, FilterName name) {
    Optional<FilterRecord> present = find(tx, name);
    if (present.isPresent()) {
      FilterRecord filter = present.get();
      if (filter.head().state() == FilterState.RESERVING) {
        return filter.generations().get(0).number();
      }
      Optional<Integer> growing = new Growth().unfinished(tx, filter.id());
      if (growing.isPresent()) {
        return growing.get();
      }
    }
    return tx.dsl()
        .select(Names.NEXT_GENERATION)
        .from(Names.TABLE)
        .where(Names.NAME.eq(name.value()))
        .fetchOptional(Names.NEXT_GENERATION)
        .orElse(1);
  }

  /**
   * Writes the rows of a filter that cannot be used yet. One that somebody began and did not finish
   * in time is taken over: its rows get the new values, so that it is the first reservation that
   * fails if both go on.
   *
   * @return empty if somebody else is reserving that name now
   * @throws FilterExistsException if there is a filter of that name
   */
  public Optional<Reservation> reserve(
      Tx tx, NewFilter filter, long token, Duration takeOverAfter) {
    lockName(tx, filter.name());
    Optional<FilterRecord> present = find(tx, filter.name());
    if (present.isPresent()) {
      FilterRecord unfinished = present.get();
      // Whoever makes it usable changes this very row.
      FilterHead head = lockHead(tx, unfinished.id()).orElseThrow();
      if (head.state() != FilterState.RESERVING) {
        throw exists(unfinished, head.state());
      }
      if (head.lastToken() == token) {
        return Optional.of(
            new Reservation(
                unfinished.id(), filter.name(), unfinished.generations().get(0).number(), token));
      }
      if (!olderThan(tx, unfinished.id(), takeOverAfter)) {
        return Optional.empty();
      }
      int generation = unfinished.generations().get(0).number();
      deleteRows(tx, unfinished.id());
      insert(tx, unfinished.id(), generation, filter, token);
      return Optional.of(new Reservation(unfinished.id(), filter.name(), generation, token));
    }
    int generation = nextGeneration(tx, filter.name());
    tx.dsl()
        .update(Names.TABLE)
        .set(Names.NEXT_GENERATION, generation + 1)
        .where(Names.NAME.eq(filter.name().value()))
        .execute();
    long id = insert(tx, null, generation, filter, token);
    return Optional.of(new Reservation(id, filter.name(), generation, token));
  }

  /** Has all who make a filter of that name wait for each other. */
  static void lockName(Tx tx, FilterName name) {
    tx.dsl()
        .insertInto(Names.TABLE, Names.NAME, Names.NEXT_GENERATION)
        .values(name.value(), 1)
        .onDuplicateKeyUpdate()
        .set(Names.NEXT_GENERATION, Names.NEXT_GENERATION)
        .execute();
  }

  static FilterExistsException exists(FilterRecord present, FilterState state) {
    String what =
        switch (state) {
          case DROPPING -> " is being dropped. Drop it again to finish that, then make it anew.";
          case RESERVING -> " is being reserved. Let that end, or choose another name.";
          case IMPORTING ->
              " is being imported. Let that end. If it was cut off, drop it, or import it again some"
                  + " minutes after: it is taken over then.";
          case ACTIVE, CLEARING ->
              " exists, for "
                  + present.capacity()
                  + " keys at an error rate of "
                  + present.falsePositiveRate()
                  + ". Open it, drop it first, or choose another name.";
        };
    return new FilterExistsException("Filter " + present.name() + what);
  }

  private static boolean olderThan(Tx tx, long filterId, Duration age) {
    return tx.dsl()
        .fetchExists(
            selectOne()
                .from(Filters.TABLE)
                .where(Filters.ID.eq(filterId))
                .and(
                    condition(
                        "{0} < UTC_TIMESTAMP(3) - INTERVAL {1} MICROSECOND",
                        Filters.CREATED_AT, val(age.toNanos() / 1000))));
  }

  private static long insert(
      Tx tx, @Nullable Long id, int generation, NewFilter filter, long token) {
    long filterId = insertWithoutGeneration(tx, id, filter, token);
    tx.dsl()
        .insertInto(Generations.TABLE)
        .set(Generations.FILTER_ID, filterId)
        .set(Generations.GENERATION, generation)
        .set(Generations.STATE, GenerationState.ACTIVE.name())
        .set(Generations.CAPACITY, filter.capacity())
        .set(Generations.RATE, filter.firstGenerationRate())
        .set(Generations.BITS, filter.parameters().bits())
        .set(Generations.HASHES, filter.parameters().hashes())
        .set(Generations.SLOT_TABLE, filter.name().slotTable(generation))
        .set(Generations.CREATED_AT, Tables.UTC_NOW)
        .execute();
    return filterId;
  }

  /** Writes the rows of a filter that cannot be used yet. Returns its number. */
  static long insertWithoutGeneration(Tx tx, @Nullable Long id, NewFilter filter, long token) {
    var insert =
        tx.dsl()
            .insertInto(Filters.TABLE)
            .set(Filters.NAME, filter.name().value())
            .set(Filters.STATE, FilterState.RESERVING.name())
            .set(Filters.FORMAT_VERSION, filter.retainHashes() ? REPLACEABLE_FORMAT : FIRST_FORMAT)
            .set(Filters.KEY_TYPE, filter.keyType())
            .set(Filters.HASH, filter.hash())
            .set(Filters.SEED, filter.seed().value())
            .set(Filters.LAYOUT, filter.parameters().layout().name())
            // The only one; the column is there for earlier versions.
            .set(Filters.WRITE_MODE, "DEFERRED")
            .set(Filters.GROWABLE, filter.growable())
            .set(Filters.RETAIN_HASHES, filter.retainHashes())
            .set(Filters.CAPACITY, filter.capacity())
            .set(Filters.RATE, filter.falsePositiveRate())
            .set(Filters.LEASE_MILLIS, Math.toIntExact(filter.lease().toMillis()))
            .set(Filters.RETENTION_SECONDS, Math.toIntExact(filter.retention().toSeconds()))
            .set(Filters.EPOCH, 1L)
            .set(Filters.LAST_SEQ, 0L)
            .set(Filters.LAST_TOKEN, token)
            .set(Filters.KEYS_ADDED, 0L)
            .set(Filters.ON_FULL, filter.whenFull().name())
            .set(Filters.CREATED_AT, Tables.UTC_NOW);
    if (id != null) {
      insert = insert.set(Filters.ID, id);
    }
    insert.execute();
    long filterId =
        tx.dsl()
            .select(Filters.ID)
            .from(Filters.TABLE)
            .where(Filters.NAME.eq(filter.name().value()))
            .fetchSingle(Filters.ID);
    tx.dsl()
        .insertInto(Folds.TABLE)
        .set(Folds.FILTER_ID, filterId)
        .set(Folds.FOLDED_SEQ, 0L)
        .set(Folds.EPOCH, 1L)
        .set(Folds.FOLDED_AT, Tables.UTC_NOW)
        .execute();
    return filterId;
  }

  /**
   * Makes a reserved filter usable. Repeating it does no harm, though others may use the filter
   * since the first time.
   *
   * @return false if the reservation was taken over by another one
   */
  public boolean activate(Tx tx, Reservation reservation) {
    Optional<FilterHead> head = lockHead(tx, reservation.filterId());
    if (head.isEmpty() || head.get().state() == FilterState.DROPPING) {
      return false;
    }
    boolean untouched = head.get().lastToken() == reservation.token();
    if (head.get().state() == FilterState.RESERVING) {
      if (untouched) {
        setState(tx, reservation.filterId(), FilterState.ACTIVE);
      }
      return untouched;
    }
    return untouched || journalBeginsAfter(tx, reservation);
  }

  private static boolean journalBeginsAfter(Tx tx, Reservation reservation) {
    return tx.dsl()
        .fetchExists(
            selectOne()
                .from(Journals.TABLE)
                .where(Journals.FILTER_ID.eq(reservation.filterId()))
                .and(Journals.SEQ.eq(1L))
                .and(Journals.PREVIOUS_TOKEN.eq(reservation.token())));
  }

  /**
   * Lets a reservation that failed be taken over at once.
   *
   * @return false if it was taken over already
   */
  public boolean giveUp(Tx tx, Reservation reservation) {
    return tx.dsl()
            .update(Filters.TABLE)
            .set(Filters.CREATED_AT, LONG_AGO)
            .where(Filters.ID.eq(reservation.filterId()))
            .and(Filters.STATE.eq(FilterState.RESERVING.name()))
            .and(Filters.LAST_TOKEN.eq(reservation.token()))
            .execute()
        == 1;
  }

  /** Drops a slot table if it exists. Commits the transaction, as all such statements do. */
  public void dropTable(Tx tx, String slotTable) {
    tx.dsl().dropTableIfExists(name(slotTable)).execute();
  }

  /** Deletes the rows of a filter here and in {@code bloom_fold}. The name keeps its row. */
  public void deleteRows(Tx tx, long filterId) {
    tx.dsl().deleteFrom(Folds.TABLE).where(Folds.FILTER_ID.eq(filterId)).execute();
    tx.dsl().deleteFrom(Replacements.TABLE).where(Replacements.FILTER_ID.eq(filterId)).execute();
    tx.dsl().deleteFrom(Usages.TABLE).where(Usages.FILTER_ID.eq(filterId)).execute();
    tx.dsl().deleteFrom(Generations.TABLE).where(Generations.FILTER_ID.eq(filterId)).execute();
    tx.dsl().deleteFrom(Filters.TABLE).where(Filters.ID.eq(filterId)).execute();
  }

  /** Whether the base tables are there, of whatever version. */
  public boolean isMigrated(Tx tx) {
    return tableExists(tx, Filters.TABLE.getName());
  }

  /** Whether the base tables and views are there, as the newest migration leaves them. */
  public boolean isUpToDate(Tx tx) {
    return columnExists(tx, Filters.TABLE, Filters.GENERATION_TOKEN)
        && columnExists(tx, Filters.TABLE, Filters.ON_FULL)
        && columnExists(tx, Generations.TABLE, Generations.CUTOVER_SEQ)
        && tableExists(tx, Replacements.TABLE.getName())
        && columnExists(tx, Filters.TABLE, Filters.RETAIN_HASHES)
        && tableExists(tx, HashBlockRows.TABLE.getName())
        && columnExists(tx, Folds.TABLE, Folds.MERGE_TOKEN)
        && columnExists(tx, Filters.TABLE, Filters.IMPORTED)
        && tableExists(tx, Usages.TABLE.getName())
        && VIEWS.stream().allMatch(view -> tableExists(tx, view));
  }

  private static boolean columnExists(Tx tx, Table<?> owner, Field<?> column) {
    return tx.dsl()
        .fetchExists(
            selectOne()
                .from(table(name("information_schema", "columns")))
                .where(IN_THIS_SCHEMA)
                .and(TABLE_NAME.eq(owner.getName()))
                .and(field(name("column_name"), SQLDataType.VARCHAR).eq(column.getName())));
  }

  /** Whether the schema holds a table or view of that name. */
  public boolean tableExists(Tx tx, String tableName) {
    return tx.dsl()
        .fetchExists(
            selectOne()
                .from(table(name("information_schema", "tables")))
                .where(IN_THIS_SCHEMA)
                .and(TABLE_NAME.eq(tableName)));
  }
}
