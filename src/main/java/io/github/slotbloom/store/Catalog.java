package io.github.slotbloom.store;

import static org.jooq.impl.DSL.condition;
import static org.jooq.impl.DSL.field;
import static org.jooq.impl.DSL.name;
import static org.jooq.impl.DSL.selectOne;
import static org.jooq.impl.DSL.table;
import static org.jooq.impl.DSL.val;

import io.github.slotbloom.core.BloomParameters;
import io.github.slotbloom.core.FilterName;
import io.github.slotbloom.core.Layout;
import io.github.slotbloom.core.WriteMode;
import io.github.slotbloom.error.FilterExistsException;
import io.github.slotbloom.error.TransactionRequiredException;
import io.github.slotbloom.error.UnsupportedFormatException;
import io.github.slotbloom.store.Tables.Filters;
import io.github.slotbloom.store.Tables.Folds;
import io.github.slotbloom.store.Tables.Generations;
import io.github.slotbloom.store.Tables.Names;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDateTime;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.jooq.Condition;
import org.jooq.Field;
import org.jooq.Record;
import org.jooq.Result;
import org.jooq.SelectQuery;
import org.jooq.impl.SQLDataType;
import org.jspecify.annotations.Nullable;

/** The tables {@code bloom_name}, {@code bloom_filter} and {@code bloom_generation}. */
public final class Catalog {

  /** The version of everything that this library stores for a filter. */
  public static final int FORMAT_VERSION = 1;

  private static final Field<Long> CREATED_MILLIS =
      field(
          "TIMESTAMPDIFF(MICROSECOND, '1970-01-01', {0}) DIV 1000",
          SQLDataType.BIGINT, Filters.CREATED_AT);

  private static final LocalDateTime LONG_AGO = LocalDateTime.of(2000, 1, 1, 0, 0);

  static final List<Field<?>> HEAD =
      List.of(
          Filters.STATE,
          Filters.FORMAT_VERSION,
          Filters.EPOCH,
          Filters.LAST_SEQ,
          Filters.LAST_TOKEN,
          Filters.KEYS_ADDED);

  private static final Field<Long> CREATED_MILLIS_NAMED = CREATED_MILLIS.as("created_millis");

  private static final Field<Boolean> AUTOCOMMIT =
      field("@@SESSION.autocommit", SQLDataType.BOOLEAN).as("autocommit_mode");

  private static final List<Field<?>> HEAD_OF =
      Stream.concat(HEAD.stream(), Stream.of(Filters.NAME, CREATED_MILLIS_NAMED, AUTOCOMMIT))
          .toList();

  private static final List<Field<?>> MADE_WITH =
      List.of(
          Filters.ID,
          Filters.NAME,
          Filters.KEY_TYPE,
          Filters.HASH,
          Filters.SEED,
          Filters.LAYOUT,
          Filters.WRITE_MODE,
          Filters.GROWABLE,
          Filters.CAPACITY,
          Filters.RATE,
          Filters.LEASE_MILLIS,
          Filters.RETENTION_SECONDS);

  /** The filter with its generations, read in one statement. */
  public Optional<FilterRecord> find(Tx tx, FilterName name) {
    return read(tx, Filters.NAME.eq(name.value()));
  }

  /** The filter with its generations, read in one statement. */
  public Optional<FilterRecord> find(Tx tx, long filterId) {
    return read(tx, Filters.ID.eq(filterId));
  }

  private Optional<FilterRecord> read(Tx tx, Condition which) {
    Result<Record> rows =
        tx.dsl()
            .select(HEAD)
            .select(MADE_WITH)
            .select(CREATED_MILLIS_NAMED)
            .select(
                Generations.GENERATION,
                Generations.CAPACITY.as("generation_capacity"),
                Generations.RATE.as("generation_rate"),
                Generations.BITS,
                Generations.HASHES,
                Generations.SLOT_TABLE)
            .from(Filters.TABLE)
            .join(Generations.TABLE)
            .on(Generations.FILTER_ID.eq(Filters.ID))
            .where(which)
            .orderBy(Generations.GENERATION)
            .fetch();
    return rows.isEmpty() ? Optional.empty() : Optional.of(record(rows));
  }

  private static FilterRecord record(Result<Record> rows) {
    Record row = rows.get(0);
    FilterName name = new FilterName(row.get(Filters.NAME));
    FilterHead head = head(row);
    requireKnownFormat(name, head);
    Layout layout = known(Layout.class, row.get(Filters.LAYOUT), "Filter " + name);
    return new FilterRecord(
        row.get(Filters.ID),
        name,
        head,
        row.get(Filters.KEY_TYPE),
        row.get(Filters.HASH),
        row.get(Filters.SEED),
        layout,
        known(WriteMode.class, row.get(Filters.WRITE_MODE), "Filter " + name),
        row.get(Filters.GROWABLE),
        row.get(Filters.CAPACITY),
        row.get(Filters.RATE),
        Duration.ofMillis(row.get(Filters.LEASE_MILLIS)),
        Duration.ofSeconds(row.get(Filters.RETENTION_SECONDS)),
        Instant.ofEpochMilli(row.get(CREATED_MILLIS_NAMED)),
        rows.map(generation -> generation(layout, generation)));
  }

  private static GenerationRecord generation(Layout layout, Record row) {
    return new GenerationRecord(
        row.get(Generations.GENERATION),
        row.get("generation_capacity", Long.class),
        row.get("generation_rate", Double.class),
        new BloomParameters(layout, row.get(Generations.BITS), row.get(Generations.HASHES)),
        row.get(Generations.SLOT_TABLE));
  }

  static FilterHead head(Record row) {
    return new FilterHead(
        known(FilterState.class, row.get(Filters.STATE), "A filter"),
        row.get(Filters.FORMAT_VERSION),
        row.get(Filters.EPOCH),
        row.get(Filters.LAST_SEQ),
        row.get(Filters.LAST_TOKEN),
        row.get(Filters.KEYS_ADDED));
  }

  /**
   * Refuses what this version cannot read.
   *
   * @throws UnsupportedFormatException if another version of this library wrote the filter
   */
  public static void requireKnownFormat(FilterName name, FilterHead head) {
    if (head.formatVersion() != FORMAT_VERSION) {
      throw new UnsupportedFormatException(
          "Filter "
              + name
              + " is stored in format "
              + head.formatVersion()
              + ", but this version of Slotbloom knows format "
              + FORMAT_VERSION
              + " only. Use the version that wrote it, or a newer one.");
    }
  }

  private static <E extends Enum<E>> E known(Class<E> type, String stored, String owner) {
    for (E value : type.getEnumConstants()) {
      if (value.name().equals(stored)) {
        return value;
      }
    }
    throw new UnsupportedFormatException(
        owner
            + " has the "
            + type.getSimpleName()
            + " "
            + stored
            + ", which this version of Slotbloom does not know. Use the version that wrote it, or a"
            + " newer one.");
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

  /** The changing part of the filter; its row stays locked until the transaction ends. */
  public Optional<FilterHead> lockHead(Tx tx, long filterId) {
    return tx.dsl()
        .select(HEAD)
        .from(Filters.TABLE)
        .where(Filters.ID.eq(filterId))
        .forUpdate()
        .fetchOptional(Catalog::head);
  }

  /**
   * As {@link #lockHead(Tx, long)}, in a transaction and a schema that are not known to be right.
   *
   * @param atMost how long to wait for the lock
   * @return empty if this schema does not hold that very filter
   * @throws TransactionRequiredException if the server commits each statement by itself, whatever
   *     the driver thinks
   */
  public Optional<FilterHead> lockHead(Tx tx, FilterRecord filter, Duration atMost) {
    SelectQuery<Record> query = tx.dsl().selectQuery();
    query.addSelect(HEAD_OF);
    query.addFrom(Filters.TABLE);
    query.addConditions(Filters.ID.eq(filter.id()));
    query.setForUpdate(true);
    Result<Record> rows = TimeLimit.fetch(tx, query, HEAD_OF, atMost);
    if (rows.isEmpty()) {
      return Optional.empty();
    }
    Record row = rows.get(0);
    if (row.get(AUTOCOMMIT)) {
      throw CallerTransaction.required(filter.name());
    }
    // Another schema may well have another filter of that number, and of that name.
    boolean same =
        row.get(Filters.NAME).equals(filter.name().value())
            && row.get(CREATED_MILLIS_NAMED) == filter.createdAt().toEpochMilli();
    return same ? Optional.of(head(row)) : Optional.empty();
  }

  /** Moves the end of the journal and the count. Needs the lock of {@link #lockHead}. */
  void advance(Tx tx, long filterId, Cursor end, long newKeys) {
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
    Optional<FilterRecord> unfinished =
        find(tx, name).filter(f -> f.head().state() == FilterState.RESERVING);
    if (unfinished.isPresent()) {
      return unfinished.get().generations().get(0).number();
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
    tx.dsl()
        .insertInto(Names.TABLE, Names.NAME, Names.NEXT_GENERATION)
        .values(filter.name().value(), 1)
        .onDuplicateKeyUpdate()
        .set(Names.NEXT_GENERATION, Names.NEXT_GENERATION)
        .execute();
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

  private static FilterExistsException exists(FilterRecord present, FilterState state) {
    return new FilterExistsException(
        state == FilterState.DROPPING
            ? "Filter "
                + present.name()
                + " is being dropped. Drop it again to finish that, then reserve it."
            : "Filter "
                + present.name()
                + " exists, for "
                + present.capacity()
                + " keys at an error rate of "
                + present.falsePositiveRate()
                + ". Open it, drop it first, or choose another name.");
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
    var insert =
        tx.dsl()
            .insertInto(Filters.TABLE)
            .set(Filters.NAME, filter.name().value())
            .set(Filters.STATE, FilterState.RESERVING.name())
            .set(Filters.FORMAT_VERSION, FORMAT_VERSION)
            .set(Filters.KEY_TYPE, filter.keyType())
            .set(Filters.HASH, filter.hash())
            .set(Filters.SEED, filter.seed())
            .set(Filters.LAYOUT, filter.parameters().layout().name())
            .set(Filters.WRITE_MODE, filter.writeMode().name())
            .set(Filters.GROWABLE, filter.growable())
            .set(Filters.CAPACITY, filter.capacity())
            .set(Filters.RATE, filter.falsePositiveRate())
            .set(Filters.LEASE_MILLIS, Math.toIntExact(filter.lease().toMillis()))
            .set(Filters.RETENTION_SECONDS, Math.toIntExact(filter.retention().toSeconds()))
            .set(Filters.EPOCH, 1L)
            .set(Filters.LAST_SEQ, 0L)
            .set(Filters.LAST_TOKEN, token)
            .set(Filters.KEYS_ADDED, 0L)
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
        .insertInto(Generations.TABLE)
        .set(Generations.FILTER_ID, filterId)
        .set(Generations.GENERATION, generation)
        .set(Generations.STATE, "ACTIVE")
        .set(Generations.CAPACITY, filter.capacity())
        .set(Generations.RATE, filter.firstGenerationRate())
        .set(Generations.BITS, filter.parameters().bits())
        .set(Generations.HASHES, filter.parameters().hashes())
        .set(Generations.SLOT_TABLE, filter.name().slotTable(generation))
        .set(Generations.CREATED_AT, Tables.UTC_NOW)
        .execute();
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
   * Makes a reserved filter usable. Repeating it does no harm.
   *
   * @return false if the reservation was taken over by another one
   */
  public boolean activate(Tx tx, Reservation reservation) {
    boolean ours =
        lockHead(tx, reservation.filterId())
            .filter(head -> head.lastToken() == reservation.token())
            .filter(head -> head.state() != FilterState.DROPPING)
            .isPresent();
    if (ours) {
      setState(tx, reservation.filterId(), FilterState.ACTIVE);
    }
    return ours;
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
    tx.dsl().deleteFrom(Generations.TABLE).where(Generations.FILTER_ID.eq(filterId)).execute();
    tx.dsl().deleteFrom(Filters.TABLE).where(Filters.ID.eq(filterId)).execute();
  }

  /** Whether the schema holds a table of that name. */
  public boolean tableExists(Tx tx, String tableName) {
    return tx.dsl()
        .fetchExists(
            selectOne()
                .from(table(name("information_schema", "tables")))
                .where(
                    field(name("table_schema"), SQLDataType.VARCHAR)
                        .eq(field("DATABASE()", SQLDataType.VARCHAR)))
                .and(field(name("table_name"), SQLDataType.VARCHAR).eq(tableName)));
  }
}
