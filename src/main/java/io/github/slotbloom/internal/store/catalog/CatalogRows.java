package io.github.slotbloom.internal.store.catalog;

import io.github.slotbloom.core.FilterName;
import io.github.slotbloom.core.Layout;
import io.github.slotbloom.core.OnFull;
import io.github.slotbloom.core.Seed;
import io.github.slotbloom.core.Sizing;
import io.github.slotbloom.core.Window;
import io.github.slotbloom.error.CorruptFilterException;
import io.github.slotbloom.error.InvalidParameterException;
import io.github.slotbloom.error.UnsupportedVersionException;
import io.github.slotbloom.internal.store.Tables.Ends;
import io.github.slotbloom.internal.store.Tables.Filters;
import io.github.slotbloom.internal.store.filter.Bucket;
import io.github.slotbloom.internal.store.filter.FilterHead;
import io.github.slotbloom.internal.store.filter.FilterMake;
import io.github.slotbloom.internal.store.filter.FilterRecord;
import io.github.slotbloom.internal.store.filter.FilterState;
import io.github.slotbloom.internal.store.filter.Manifest;
import io.github.slotbloom.internal.store.filter.ManifestText;
import io.github.slotbloom.internal.store.filter.RemovalRecord;
import io.github.slotbloom.internal.store.filter.StoredFormat;
import io.github.slotbloom.internal.store.filter.TableNames;
import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import org.jooq.Field;
import org.jooq.Record;
import org.jooq.impl.DSL;
import org.jooq.impl.SQLDataType;
import org.jspecify.annotations.Nullable;

/** Converts catalog rows to records. Refuses rows that this library cannot have written. */
public final class CatalogRows {

  /**
   * The key count, limited so that arithmetic cannot overflow. The column can hold numbers that no
   * long can. Answers do not depend on the count, so a filter with such a count can be used,
   * cleared and dropped like any other. Verifying the filter reports the count.
   */
  static final Field<Long> KEYS_ADDED = atMostCounted(Ends.KEYS_ADDED).as("counted_keys");

  /** The removed hashes that still have their bits; zero if keys cannot be removed. */
  static final Field<Long> KEYS_REMOVED =
      atMostCounted(DSL.coalesce(Ends.KEYS_REMOVED, DSL.inline(0L))).as("counted_removed_keys");

  /** The keys that were renewed; zero if keys never expire. */
  static final Field<Long> KEYS_RENEWED =
      atMostCounted(DSL.coalesce(Ends.KEYS_RENEWED, DSL.inline(0L))).as("counted_renewed_keys");

  /** True if removed keys are counted, which is so if keys can be removed. */
  static final Field<Boolean> COUNTS_REMOVED =
      DSL.field(Ends.KEYS_REMOVED.isNotNull()).as("counts_removed");

  static final Field<Long> BUCKET = Filters.BUCKET.as("newest_bucket");

  /** The state as it counts: what is stored, or EXPIRED. */
  static final Field<String> STATE =
      DSL.field(
              "IF({0} = 'ACTIVE' AND {1} <= UTC_TIMESTAMP(6), 'EXPIRED', {0})",
              SQLDataType.VARCHAR, Filters.STATE, Filters.EXPIRES_AT)
          .as("state_now");

  /** True if a removed key leaves the count, since its hash shows that it was counted. */
  static final Field<Boolean> COUNTS_DOWN = Filters.RETAIN_HASHES.as("counts_down");

  /** The longest lease. A clear waits that long, and a process answers from memory that long. */
  private static final long LONGEST_LEASE_MILLIS = 60_000;

  /** Longer than a window may be, and short enough that nothing overflows. */
  private static final long MOST_BUCKET_MILLIS = 1L << 40;

  private CatalogRows() {}

  private static Field<Long> atMostCounted(Field<Long> keys) {
    return DSL.least(keys, DSL.inline(Catalog.MOST_COUNTED_KEYS));
  }

  /**
   * Creates a filter from its row.
   *
   * @throws UnsupportedVersionException if a later version wrote the filter
   * @throws CorruptFilterException if a value is invalid
   */
  public static FilterRecord filter(Record row) {
    FilterName name = new FilterName(row.get(Filters.NAME));
    FilterHead head = head(name, row);
    String label = row.get(Filters.LABEL);
    require(TableNames.isLabel(label), name, Filters.LABEL, label);
    TableNames tables = new TableNames(row.get(Filters.ID), label);
    Layout layout = known(Layout.class, row.get(Filters.LAYOUT), name);
    long capacity = head.capacity();
    require(capacity >= 1 && capacity <= Sizing.MAX_CAPACITY, name, Filters.CAPACITY, capacity);
    double rate = row.get(Filters.RATE);
    // An explicit size may be so small that the rate is rounded to 1.
    require(rate > 0 && rate <= 1, name, Filters.RATE, rate);
    long leaseMillis = row.get(Filters.LEASE_MILLIS);
    require(
        leaseMillis >= 1 && leaseMillis <= LONGEST_LEASE_MILLIS,
        name,
        Filters.LEASE_MILLIS,
        leaseMillis);
    Window window = window(name, head, row);
    return new FilterRecord(
        row.get(Filters.ID),
        name,
        tables,
        head,
        row.get(Filters.KEY_TYPE),
        row.get(Filters.HASH),
        Seed.of(row.get(Filters.HASH), row.get(Filters.SEED)),
        layout,
        row.get(Filters.GROWABLE),
        row.get(Filters.RETAIN_HASHES),
        removal(name, tables, row),
        window,
        rate,
        Duration.ofMillis(leaseMillis),
        Duration.ofSeconds(row.get(Filters.RETENTION_SECONDS)),
        Instant.ofEpochMilli(row.get(FilterMake.CREATED_MILLIS)),
        manifest(name, head, tables, layout, window, row.get(Filters.MANIFEST)));
  }

  private static @Nullable Window window(FilterName name, FilterHead head, Record row) {
    long bucketMillis = row.get(FilterMake.BUCKET_MILLIS);
    int buckets = row.get(FilterMake.WINDOW_BUCKETS);
    boolean isWindow = head.isWindow();
    // Otherwise keys would be found that expired, or forgotten that did not.
    require(isWindow == buckets > 0, name, Filters.WINDOW_BUCKETS, buckets);
    require(isWindow == bucketMillis > 0, name, Filters.BUCKET_MILLIS, bucketMillis);
    Boolean renews = row.get(Filters.WINDOW_RENEWS);
    require(isWindow == (renews != null), name, Filters.WINDOW_RENEWS, String.valueOf(renews));
    if (!isWindow) {
      return null;
    }
    require(bucketMillis <= MOST_BUCKET_MILLIS, name, Filters.BUCKET_MILLIS, bucketMillis);
    try {
      return new Window(Duration.ofMillis(bucketMillis * buckets), buckets, renews);
    } catch (InvalidParameterException e) {
      throw corrupt(name, "has a window that cannot be right: " + e.getMessage());
    }
  }

  private static @Nullable RemovalRecord removal(FilterName name, TableNames tables, Record row) {
    Integer percent = row.get(Filters.REMOVABLE_PERCENT);
    // Without it, a filter would take its removed keys for present ones.
    require(percent != null || !row.get(COUNTS_REMOVED), name, Filters.REMOVABLE_PERCENT, "null");
    if (percent == null) {
      return null;
    }
    require(percent >= 1 && percent <= 100, name, Filters.REMOVABLE_PERCENT, percent);
    return new RemovalRecord(percent, tables.removed());
  }

  /**
   * Returns the manifest of a head.
   *
   * @param window null if keys never expire
   * @throws CorruptFilterException if it cannot be that one
   */
  static Manifest manifest(
      FilterName name,
      FilterHead head,
      TableNames tables,
      Layout layout,
      @Nullable Window window,
      String text) {
    Manifest manifest;
    try {
      manifest = new ManifestText(tables, layout, window).read(text);
    } catch (InvalidParameterException e) {
      throw corrupt(name, "has a manifest of which " + e.getMessage());
    }
    require(
        manifest.token() == head.manifestToken(),
        name,
        Filters.MANIFEST_TOKEN,
        head.manifestToken());
    Bucket newest = manifest.newest().bucket();
    require(
        newest == null || newest.number() == head.bucket(), name, Filters.BUCKET, head.bucket());
    return manifest;
  }

  private static void require(boolean possible, FilterName name, Field<?> column, Object value) {
    if (!possible) {
      throw corrupt(name, "has the " + column.getName() + " " + value);
    }
  }

  private static CorruptFilterException corrupt(FilterName name, String what) {
    return new CorruptFilterException(
        "Filter "
            + name
            + " "
            + what
            + ", which Slotbloom never stores. Restore the row as it was, or restore the bloom_"
            + " tables from one backup.");
  }

  /**
   * Returns the part of a row that changes.
   *
   * @throws UnsupportedVersionException if a later version wrote the filter
   * @throws CorruptFilterException if the end of the journal is missing
   */
  public static FilterHead head(FilterName name, Record row) {
    StoredFormat.requireKnown(name, row.get(Filters.FORMAT_VERSION));
    if (row.get(Ends.LAST_SEQ) == null || row.get(KEYS_ADDED) == null) {
      throw new CorruptFilterException(
          "Filter "
              + name
              + " has no row 0 in bloom_journal, which says where its journal ends. Restore the"
              + " bloom_ tables from one backup.");
    }
    return new FilterHead(
        known(FilterState.class, row.get(STATE), name),
        row.get(Filters.MERGED),
        row.get(Filters.EPOCH),
        row.get(Ends.LAST_SEQ),
        row.get(Ends.LAST_TOKEN),
        row.get(Ends.FENCE),
        row.get(KEYS_ADDED),
        row.get(KEYS_REMOVED),
        row.get(KEYS_RENEWED),
        row.get(COUNTS_DOWN),
        row.get(Filters.CAPACITY),
        row.get(Filters.MANIFEST_TOKEN),
        known(OnFull.class, row.get(Filters.ON_FULL), name),
        Objects.requireNonNullElse(row.get(BUCKET), FilterHead.NO_BUCKET),
        ExpirySql.read(row));
  }

  private static <E extends Enum<E>> E known(Class<E> type, String stored, FilterName owner) {
    for (E value : type.getEnumConstants()) {
      if (value.name().equals(stored)) {
        return value;
      }
    }
    throw new UnsupportedVersionException(
        "Filter "
            + owner
            + " has the "
            + type.getSimpleName()
            + " "
            + stored
            + ", which this version of Slotbloom does not know. Use the version that wrote it, or a"
            + " newer one.");
  }
}
