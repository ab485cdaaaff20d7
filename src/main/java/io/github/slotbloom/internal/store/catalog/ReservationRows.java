package io.github.slotbloom.internal.store.catalog;

import static org.jooq.impl.DSL.condition;
import static org.jooq.impl.DSL.selectOne;
import static org.jooq.impl.DSL.val;

import io.github.slotbloom.core.FilterName;
import io.github.slotbloom.core.Window;
import io.github.slotbloom.error.FilterExistsException;
import io.github.slotbloom.internal.store.Tables;
import io.github.slotbloom.internal.store.Tables.Ends;
import io.github.slotbloom.internal.store.Tables.Filters;
import io.github.slotbloom.internal.store.Tables.Folds;
import io.github.slotbloom.internal.store.Tables.Journals;
import io.github.slotbloom.internal.store.filter.Bucket;
import io.github.slotbloom.internal.store.filter.FilterHead;
import io.github.slotbloom.internal.store.filter.FilterRecord;
import io.github.slotbloom.internal.store.filter.FilterState;
import io.github.slotbloom.internal.store.filter.GenerationRecord;
import io.github.slotbloom.internal.store.filter.Manifest;
import io.github.slotbloom.internal.store.filter.ManifestText;
import io.github.slotbloom.internal.store.filter.StoredFormat;
import io.github.slotbloom.internal.store.filter.TableNames;
import io.github.slotbloom.internal.store.session.Tx;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Function;
import org.jooq.exception.IntegrityConstraintViolationException;
import org.jspecify.annotations.Nullable;

/** Writes the rows of a filter, from its reservation until it can be used. */
public final class ReservationRows {

  private static final String LONG_AGO = "2000-01-01 00:00:00";

  /**
   * Writes the rows of a filter that cannot be used yet. Takes over a reservation that was begun
   * and not finished in time: its number stays, and its rows get the new values. If both processes
   * go on, the first reservation fails.
   *
   * @return empty if another process is reserving that name now
   * @throws FilterExistsException if there is a filter of that name
   */
  public static Optional<Reservation> reserve(
      Tx tx, NewFilter filter, long token, Duration takeOverAfter) {
    Optional<FilterRecord> present = Catalog.find(tx, filter.name());
    if (present.isEmpty()) {
      return insert(tx, null, filter, token);
    }
    FilterRecord unfinished = present.get();
    // The process that makes the filter usable changes this same row.
    Optional<FilterHead> head = HeadLock.take(tx, unfinished.id());
    if (head.isEmpty()) {
      return Optional.empty();
    }
    if (head.get().state() != FilterState.RESERVING) {
      throw exists(
          unfinished,
          head.get().state(),
          "Open it, grow it if it needs a larger capacity, or choose another name. To create it"
              + " again, drop it first, which deletes its keys.");
    }
    if (head.get().lastToken() == token) {
      return Optional.of(new Reservation(unfinished.tables(), filter.name(), token));
    }
    if (!olderThan(tx, unfinished.id(), takeOverAfter)) {
      return Optional.empty();
    }
    Catalog.deleteRows(tx, unfinished.id());
    return insert(tx, unfinished.id(), filter, token);
  }

  /** Returns the exception for a name that another filter was to get, by a rename or an import. */
  public static FilterExistsException exists(FilterRecord present, FilterState state) {
    return exists(
        present, state, "Choose another name, or drop that filter first, which deletes its keys.");
  }

  private static FilterExistsException exists(
      FilterRecord present, FilterState state, String remedy) {
    String what =
        switch (state) {
          case DROPPING -> " is being dropped. Drop it again to finish that, then create it again.";
          case RESERVING ->
              " is being created. Wait until that ends. If it was interrupted, create it again, or"
                  + " drop it.";
          case IMPORTING ->
              " is being imported. Wait until that ends. If the import was interrupted, drop the"
                  + " filter, or import it again in a few minutes.";
          case EXPIRED -> " has just expired. Create it again.";
          case ACTIVE ->
              " already exists, with a capacity of "
                  + present.capacity()
                  + " keys and a false positive rate of "
                  + present.falsePositiveRate()
                  + ". "
                  + remedy;
        };
    return new FilterExistsException("Filter " + present.name() + what);
  }

  /** Returns the exception for a name that another process took this very moment. */
  public static FilterExistsException taken(FilterName name) {
    return new FilterExistsException(
        "Filter " + name + " was created by another process meanwhile. Choose another name.");
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

  private static Optional<Reservation> insert(
      Tx tx, @Nullable Long id, NewFilter filter, long token) {
    OptionalLong inserted = insert(tx, id, filter, token, bucket -> first(filter, bucket));
    if (inserted.isEmpty()) {
      return Optional.empty();
    }
    TableNames tables = new TableNames(inserted.getAsLong(), TableNames.label(filter.name()));
    return Optional.of(new Reservation(tables, filter.name(), token));
  }

  private static Manifest first(NewFilter filter, @Nullable Bucket bucket) {
    GenerationRecord generation =
        GenerationRecord.first(
            1, filter.capacity(), filter.firstGenerationRate(), filter.parameters());
    return Manifest.first(generation.in(bucket));
  }

  /**
   * Writes the rows of a filter that cannot be used yet.
   *
   * @param manifest returns its manifest, given its newest bucket; null if keys never expire
   * @return its number; empty, with nothing written, if another process took the name meanwhile
   */
  public static OptionalLong insert(
      Tx tx,
      @Nullable Long id,
      NewFilter filter,
      long token,
      Function<@Nullable Bucket, Manifest> manifest) {
    Window window = filter.window();
    Bucket now =
        window == null
            ? null
            : new Bucket(window.bucketAt(ExpiryRows.nowMicros(tx)), window.buckets());
    Manifest first = manifest.apply(now);
    var insert =
        tx.dsl()
            .insertInto(Filters.TABLE)
            .set(Filters.NAME, filter.name().value())
            .set(Filters.LABEL, TableNames.label(filter.name()))
            .set(Filters.STATE, FilterState.RESERVING.name())
            .set(Filters.FORMAT_VERSION, StoredFormat.VERSION)
            .set(Filters.KEY_TYPE, filter.keyType())
            .set(Filters.HASH, filter.hash())
            .set(Filters.SEED, filter.seed().value())
            .set(Filters.LAYOUT, filter.parameters().layout().name())
            .set(Filters.GROWABLE, filter.growable())
            .set(Filters.RETAIN_HASHES, filter.retainHashes())
            .set(Filters.CAPACITY, filter.capacity())
            .set(Filters.RATE, filter.falsePositiveRate())
            .set(Filters.LEASE_MILLIS, Math.toIntExact(filter.lease().toMillis()))
            .set(Filters.RETENTION_SECONDS, Math.toIntExact(filter.retention().toSeconds()))
            .set(Filters.EPOCH, 1L)
            .set(Filters.MANIFEST, ManifestText.of(first))
            .set(Filters.MANIFEST_TOKEN, first.token())
            .set(Filters.ON_FULL, filter.onFull().name())
            .set(Filters.CREATED_AT, Tables.UTC_NOW)
            .set(Filters.EXPIRES_AT, ExpirySql.text(filter.expiresAt()))
            .set(Filters.REMOVABLE_PERCENT, filter.removable() ? filter.removablePercent() : null);
    if (id != null) {
      insert = insert.set(Filters.ID, id);
    }
    Bucket newest = first.newest().bucket();
    if (window != null && newest != null) {
      insert =
          insert
              .set(Filters.BUCKET_MILLIS, window.bucketLength().toMillis())
              .set(Filters.WINDOW_BUCKETS, window.buckets())
              .set(Filters.WINDOW_RENEWS, window.renews())
              .set(Filters.BUCKET, newest.number());
    }
    try {
      insert.execute();
    } catch (IntegrityConstraintViolationException e) {
      return OptionalLong.empty();
    }
    long filterId =
        tx.dsl()
            .select(Filters.ID)
            .from(Filters.TABLE)
            .where(Filters.NAME.eq(filter.name().value()))
            .fetchSingle(Filters.ID);
    tx.dsl()
        .insertInto(Journals.TABLE)
        .set(Journals.FILTER_ID, filterId)
        .set(Journals.SEQ, 0L)
        .set(Journals.TOKEN, token)
        .set(Journals.PREVIOUS_TOKEN, 0L)
        .set(Journals.KIND, Ends.KIND)
        .set(Journals.PAYLOAD, new byte[0])
        .set(Journals.CREATED_AT, Tables.UTC_NOW)
        .set(Journals.LAST_SEQ, 0L)
        .set(Journals.KEYS_ADDED, 0L)
        .set(Journals.KEYS_REMOVED, filter.removable() ? 0L : null)
        .set(Journals.KEYS_RENEWED, window == null ? null : 0L)
        .execute();
    tx.dsl()
        .insertInto(Folds.TABLE)
        .set(Folds.FILTER_ID, filterId)
        .set(Folds.FOLDED_SEQ, 0L)
        .set(Folds.FOLDED_AT, Tables.UTC_NOW)
        .execute();
    first.read().forEach(generation -> TableRows.begin(tx, filterId, generation.number()));
    return OptionalLong.of(filterId);
  }

  /**
   * Makes a reserved filter usable. A repeated call does no harm, even if others use the filter
   * since the first call.
   *
   * @param tables all that were made for it
   * @return false if another reservation took over
   * @throws SchemaException if a table is missing
   */
  public static boolean activate(Tx tx, Reservation reservation, List<FilterTable> tables) {
    Optional<FilterHead> head = HeadLock.take(tx, reservation.tables().filterId());
    if (head.isEmpty() || head.get().state() == FilterState.DROPPING) {
      return false;
    }
    boolean untouched = head.get().lastToken() == reservation.token();
    if (head.get().state() == FilterState.RESERVING) {
      if (untouched) {
        FilterTable.requireMade(tx, tables, "Reserve");
        TableRows.made(tx, reservation.tables().filterId(), 1);
        Catalog.setState(tx, reservation.tables().filterId(), FilterState.ACTIVE);
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
                .where(Journals.FILTER_ID.eq(reservation.tables().filterId()))
                .and(Journals.SEQ.eq(1L))
                .and(Journals.PREVIOUS_TOKEN.eq(reservation.token())));
  }

  /**
   * Lets another process take over a failed reservation at once.
   *
   * @return false if it was taken over already
   */
  public static boolean giveUp(Tx tx, Reservation reservation) {
    return tx.dsl()
            .update(Filters.TABLE)
            .set(Filters.CREATED_AT, LONG_AGO)
            .where(Filters.ID.eq(reservation.tables().filterId()))
            .and(Filters.STATE.eq(FilterState.RESERVING.name()))
            .andExists(
                selectOne()
                    .from(Ends.TABLE)
                    .where(Ends.of(reservation.tables().filterId()))
                    .and(Ends.LAST_TOKEN.eq(reservation.token())))
            .execute()
        == 1;
  }
}
