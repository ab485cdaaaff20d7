package io.github.slotbloom.internal.store.catalog;

import static org.jooq.impl.DSL.field;
import static org.jooq.impl.DSL.name;

import io.github.slotbloom.core.FilterName;
import io.github.slotbloom.error.CorruptFilterException;
import io.github.slotbloom.error.TransactionRequiredException;
import io.github.slotbloom.error.UnsupportedFormatException;
import io.github.slotbloom.internal.store.CallerTransaction;
import io.github.slotbloom.internal.store.DatabaseFailure;
import io.github.slotbloom.internal.store.Tables.Filters;
import io.github.slotbloom.internal.store.Tables.Folds;
import io.github.slotbloom.internal.store.Tables.Generations;
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
import org.jooq.impl.SQLDataType;

/** The tables {@code bloom_name}, {@code bloom_filter} and {@code bloom_generation}. */
public final class Catalog {

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
    FilterMake before = opened.make();
    FilterMake now = FilterMake.of(row);
    if (!before.isSameFilterAs(now)) {
      return Optional.empty();
    }
    FilterHead head = CatalogRows.head(opened.name(), row);
    StoredFormat.requireKnown(opened.name(), head);
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
            .and(opened.make().unchanged())
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

  /** Deletes the rows of a filter here and in {@code bloom_fold}. The name keeps its row. */
  public void deleteRows(Tx tx, long filterId) {
    tx.dsl().deleteFrom(Folds.TABLE).where(Folds.FILTER_ID.eq(filterId)).execute();
    tx.dsl().deleteFrom(Replacements.TABLE).where(Replacements.FILTER_ID.eq(filterId)).execute();
    tx.dsl().deleteFrom(Usages.TABLE).where(Usages.FILTER_ID.eq(filterId)).execute();
    tx.dsl().deleteFrom(Generations.TABLE).where(Generations.FILTER_ID.eq(filterId)).execute();
    tx.dsl().deleteFrom(Filters.TABLE).where(Filters.ID.eq(filterId)).execute();
  }
}
