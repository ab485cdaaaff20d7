package io.github.slotbloom.internal.store.catalog;

import static org.jooq.impl.DSL.condition;
import static org.jooq.impl.DSL.field;
import static org.jooq.impl.DSL.name;
import static org.jooq.impl.DSL.row;
import static org.jooq.impl.DSL.selectOne;
import static org.jooq.impl.DSL.val;

import io.github.slotbloom.core.FilterName;
import io.github.slotbloom.error.FilterNotFoundException;
import io.github.slotbloom.internal.store.Tables.Ends;
import io.github.slotbloom.internal.store.Tables.Filters;
import io.github.slotbloom.internal.store.Tables.Folds;
import io.github.slotbloom.internal.store.Tables.Journals;
import io.github.slotbloom.internal.store.Tables.Replacements;
import io.github.slotbloom.internal.store.Tables.RescuedKeys;
import io.github.slotbloom.internal.store.Tables.SlotTableRows;
import io.github.slotbloom.internal.store.Tables.Usages;
import io.github.slotbloom.internal.store.filter.FilterHead;
import io.github.slotbloom.internal.store.filter.FilterMake;
import io.github.slotbloom.internal.store.filter.FilterRecord;
import io.github.slotbloom.internal.store.filter.FilterState;
import io.github.slotbloom.internal.store.filter.ManifestText;
import io.github.slotbloom.internal.store.session.SessionFitness;
import io.github.slotbloom.internal.store.session.Tx;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import java.util.zip.CRC32;
import org.jooq.Condition;
import org.jooq.Field;
import org.jooq.Record;
import org.jooq.Table;
import org.jooq.exception.IntegrityConstraintViolationException;

/** Reads and writes the table {@code bloom_filter}, and the row 0 of a journal. */
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
          Filters.MANIFEST_TOKEN,
          Filters.ON_FULL,
          CatalogRows.BUCKET);

  /** A key count above this one is taken for this one, so that arithmetic cannot overflow. */
  public static final long MOST_COUNTED_KEYS = 1L << 60;

  /** The rows that {@link #HEAD} is read from. */
  public static final Table<Record> HEAD_ROWS =
      Filters.TABLE.leftJoin(Ends.TABLE).on(Ends.of(Filters.ID));

  private static final List<Field<?>> PARAMETERS =
      List.of(
          Filters.ID,
          Filters.GROWABLE,
          Filters.REMOVABLE_PERCENT,
          CatalogRows.COUNTS_REMOVED,
          Filters.RATE,
          Filters.RETENTION_SECONDS,
          Filters.WINDOW_RENEWS);

  /** The columns of a filter, but for its manifest, which may be long. */
  public static final List<Field<?>> FILTER =
      Stream.of(HEAD, FilterMake.FIELDS, PARAMETERS).flatMap(List::stream).toList();

  private Catalog() {}

  /** Reads the filter in one statement. */
  public static Optional<FilterRecord> find(Tx tx, FilterName name) {
    return read(tx, Filters.NAME.eq(name.value()));
  }

  /**
   * Reads an opened filter as it is now, in one statement.
   *
   * @return empty if the filter is gone, even if another filter has its id since
   * @throws FilterNotFoundException if the filter was renamed
   */
  public static Optional<FilterRecord> find(Tx tx, FilterRecord opened) {
    return find(tx, opened.id()).filter(opened::isNow);
  }

  /**
   * Returns a field of a query of {@link #HEAD_ROWS}: true if a filter and its manifest are those
   * of the record, with every value that decides about the bits of a key.
   */
  public static Field<Boolean> isAsRead(FilterRecord filter) {
    CRC32 sum = new CRC32();
    sum.update(ManifestText.of(filter.manifest()).getBytes(StandardCharsets.US_ASCII));
    return field(
            condition(FilterRecord.UNCHANGED, filter.unchanged().toArray())
                .and(FilterMake.CREATED_MILLIS_OF_ROW.eq(filter.createdAt().toEpochMilli()))
                .and(Filters.MANIFEST_TOKEN.eq(filter.head().manifestToken()))
                .and(condition("CRC32({0}) = {1}", Filters.MANIFEST, val(sum.getValue()))))
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

  /** Returns true if no filter has that number, or the one that has it is being dropped. */
  public static boolean isDropped(Tx tx, long filterId) {
    return !tx.dsl()
        .fetchExists(
            selectOne()
                .from(Filters.TABLE)
                .where(Filters.ID.eq(filterId))
                .and(Filters.STATE.ne(FilterState.DROPPING.name())));
  }

  /** Reads the filter in one statement. */
  public static Optional<FilterRecord> find(Tx tx, long filterId) {
    return read(tx, Filters.ID.eq(filterId));
  }

  /**
   * Returns a filter with the manifest of its head, whatever snapshot the transaction has. Needs
   * the lock of {@link HeadLock#take}.
   *
   * @param head as it was read under that lock
   */
  public static FilterRecord at(Tx tx, FilterRecord filter, FilterHead head) {
    if (filter.knows(head)) {
      return filter.with(head, filter.manifest());
    }
    String text =
        tx.dsl()
            .select(Filters.MANIFEST)
            .from(Filters.TABLE)
            .where(Filters.ID.eq(filter.id()))
            .forShare()
            .fetchSingle(Filters.MANIFEST);
    return filter.with(
        head,
        CatalogRows.manifest(
            filter.name(), head, filter.tables(), filter.layout(), filter.window(), text));
  }

  private static Optional<FilterRecord> read(Tx tx, Condition which) {
    Record row =
        tx.dsl()
            .select(FILTER)
            .select(Filters.MANIFEST)
            .select(SessionFitness.field(tx))
            .from(HEAD_ROWS)
            .where(which)
            .fetchOne();
    if (row == null || !SessionFitness.isFit(tx, row)) {
      // Our own session tells whether the server may answer.
      SessionFitness.requireKnown(tx);
    }
    return Optional.ofNullable(row).map(CatalogRows::filter);
  }

  /**
   * Returns the names, in order, of all filters that can be opened, and of those that expired, with
   * their states.
   */
  public static Map<String, FilterState> names(Tx tx) {
    Map<String, FilterState> names = new LinkedHashMap<>();
    tx.dsl()
        .select(Filters.NAME, CatalogRows.STATE)
        .from(Filters.TABLE)
        .where(Filters.STATE.eq(FilterState.ACTIVE.name()))
        .or(Filters.STATE.eq(FilterState.DROPPING.name()).and(ExpirySql.HAS_COME))
        .orderBy(Filters.NAME)
        .forEach(row -> names.put(row.value1(), FilterState.valueOf(row.value2())));
    return names;
  }

  /** Counts the keys that are about to be merged. Needs the lock of {@link HeadLock#take}. */
  public static void merging(Tx tx, long filterId, long newKeys) {
    tx.dsl()
        .update(Ends.TABLE)
        .set(Ends.KEYS_ADDED, Ends.KEYS_ADDED.plus(newKeys))
        .where(Ends.of(filterId))
        .execute();
    set(tx, filterId, Filters.MERGED, val(true));
  }

  /**
   * Changes a value that has no meaning, so that the commit of this transaction must be made
   * durable, and all earlier commits with it.
   */
  public static void tick(Tx tx, long filterId) {
    set(tx, filterId, Filters.DURABLE_TICKS, Filters.DURABLE_TICKS.plus(1));
  }

  private static <T> void set(Tx tx, long filterId, Field<T> column, Field<T> value) {
    tx.dsl().update(Filters.TABLE).set(column, value).where(Filters.ID.eq(filterId)).execute();
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

  /** No longer counts any key, and one more clear. Needs the lock of {@link HeadLock#take}. */
  public static void cleared(Tx tx, long filterId) {
    set(tx, filterId, Filters.EPOCH, Filters.EPOCH.plus(1));
    setKeysAdded(tx, filterId, 0);
    setKeysRemoved(tx, filterId, 0);
    tx.dsl()
        .update(Ends.TABLE)
        .set(Ends.KEYS_RENEWED, 0L)
        .where(Ends.of(filterId))
        .and(Ends.KEYS_RENEWED.isNotNull())
        .execute();
  }

  /** Sets the number of added keys. Needs the lock of {@link HeadLock#take}. */
  public static void setKeysAdded(Tx tx, long filterId, long keys) {
    tx.dsl().update(Ends.TABLE).set(Ends.KEYS_ADDED, keys).where(Ends.of(filterId)).execute();
  }

  /**
   * Sets the number of removed keys, if keys can be removed. Needs the lock of {@link
   * HeadLock#take}.
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
   * Gives a filter another name. An append that was sent earlier must be fenced off then. Needs the
   * lock of {@link HeadLock#take}.
   *
   * @return false, with nothing changed, if there is a filter of the new name
   */
  public static boolean rename(Tx tx, long filterId, FilterName newName) {
    try {
      set(tx, filterId, Filters.NAME, val(newName.value(), Filters.NAME));
    } catch (IntegrityConstraintViolationException e) {
      return false;
    }
    return true;
  }

  /** Sets the state of a filter. Needs the lock of {@link HeadLock#take}. */
  public static void setState(Tx tx, long filterId, FilterState state) {
    set(tx, filterId, Filters.STATE, val(state.name()));
  }

  /** Deletes the rows of a filter. */
  public static void deleteRows(Tx tx, long filterId) {
    tx.dsl().deleteFrom(Folds.TABLE).where(Folds.FILTER_ID.eq(filterId)).execute();
    tx.dsl().deleteFrom(Replacements.TABLE).where(Replacements.FILTER_ID.eq(filterId)).execute();
    tx.dsl().deleteFrom(Usages.TABLE).where(Usages.FILTER_ID.eq(filterId)).execute();
    tx.dsl().deleteFrom(RescuedKeys.TABLE).where(RescuedKeys.FILTER_ID.eq(filterId)).execute();
    tx.dsl().deleteFrom(SlotTableRows.TABLE).where(SlotTableRows.FILTER_ID.eq(filterId)).execute();
    tx.dsl().deleteFrom(Journals.TABLE).where(Journals.FILTER_ID.eq(filterId)).execute();
    tx.dsl().deleteFrom(Filters.TABLE).where(Filters.ID.eq(filterId)).execute();
  }
}
