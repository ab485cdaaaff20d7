package io.github.slotbloom.internal.store.catalog;

import io.github.slotbloom.core.BloomParameters;
import io.github.slotbloom.core.FilterName;
import io.github.slotbloom.core.Layout;
import io.github.slotbloom.core.Seed;
import io.github.slotbloom.core.Sizing;
import io.github.slotbloom.core.WhenFull;
import io.github.slotbloom.core.Window;
import io.github.slotbloom.error.CorruptFilterException;
import io.github.slotbloom.error.InvalidParameterException;
import io.github.slotbloom.error.UnsupportedVersionException;
import io.github.slotbloom.internal.store.Tables.Ends;
import io.github.slotbloom.internal.store.Tables.Filters;
import io.github.slotbloom.internal.store.Tables.Generations;
import io.github.slotbloom.internal.store.filter.Bucket;
import io.github.slotbloom.internal.store.filter.FilterHead;
import io.github.slotbloom.internal.store.filter.FilterMake;
import io.github.slotbloom.internal.store.filter.FilterRecord;
import io.github.slotbloom.internal.store.filter.FilterState;
import io.github.slotbloom.internal.store.filter.GenerationRecord;
import io.github.slotbloom.internal.store.filter.GenerationSet;
import io.github.slotbloom.internal.store.filter.GenerationState;
import io.github.slotbloom.internal.store.filter.RemovalRecord;
import io.github.slotbloom.internal.store.filter.StoredFormat;
import io.github.slotbloom.internal.store.filter.TableNames;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jooq.Field;
import org.jooq.Record;
import org.jooq.impl.DSL;
import org.jooq.impl.SQLDataType;
import org.jspecify.annotations.Nullable;

/** Converts catalog rows to records. Refuses rows that this library cannot have written. */
public final class CatalogRows {

  static final Field<Long> GENERATION_CAPACITY = Generations.CAPACITY.as("generation_capacity");
  static final Field<Double> GENERATION_RATE = Generations.RATE.as("generation_rate");
  static final Field<String> GENERATION_STATE = Generations.STATE.as("generation_state");

  /**
   * The key count, limited so that arithmetic cannot overflow. The column can hold numbers that no
   * long can. Answers do not depend on the count, so a filter with such a count can be used,
   * cleared and dropped like any other. Verifying the filter reports the count.
   */
  static final Field<Long> KEYS_ADDED =
      DSL.least(Ends.KEYS_ADDED, DSL.inline(Catalog.MOST_COUNTED_KEYS)).as("counted_keys");

  /** The removed hashes that still have their bits; zero if keys cannot be removed. */
  static final Field<Long> KEYS_REMOVED =
      DSL.least(
              DSL.coalesce(Ends.KEYS_REMOVED, DSL.inline(0L)),
              DSL.inline(Catalog.MOST_COUNTED_KEYS))
          .as("counted_removed_keys");

  /** The keys that were renewed; zero if keys never expire. */
  static final Field<Long> KEYS_RENEWED =
      DSL.least(
              DSL.coalesce(Ends.KEYS_RENEWED, DSL.inline(0L)),
              DSL.inline(Catalog.MOST_COUNTED_KEYS))
          .as("counted_renewed_keys");

  /** Whether removed keys are counted: if keys can be removed. */
  static final Field<Boolean> COUNTS_REMOVED =
      DSL.field(Ends.KEYS_REMOVED.isNotNull()).as("counts_removed");

  static final Field<Long> BUCKET = Filters.BUCKET.as("newest_bucket");
  static final Field<Long> GENERATION_BUCKET = Generations.BUCKET.as("generation_bucket");

  /** The state as it counts: what is stored, or EXPIRED. */
  static final Field<String> STATE =
      DSL.field(
              "IF({0} IN ('ACTIVE', 'CLEARING') AND {1} <= UTC_TIMESTAMP(6), 'EXPIRED', {0})",
              SQLDataType.VARCHAR, Filters.STATE, Filters.EXPIRES_AT)
          .as("state_now");

  /** Whether a removed key leaves the count, since its hash shows that it was counted. */
  static final Field<Boolean> COUNTS_DOWN = Filters.RETAIN_HASHES.as("counts_down");

  /** The longest lease. A clear waits that long, and a process answers from memory that long. */
  private static final long LONGEST_LEASE_MILLIS = 60_000;

  /** Longer than a window may be, and short enough that nothing overflows. */
  private static final long MOST_BUCKET_MILLIS = 1L << 40;

  /** A number of a bucket beyond all dates, and small enough that nothing overflows. */
  private static final long MOST_BUCKETS = 1L << 40;

  private CatalogRows() {}

  /**
   * Creates a filter from one row per generation, in their order.
   *
   * @throws UnsupportedVersionException if a later version wrote the filter
   * @throws CorruptFilterException if a value is invalid
   */
  public static FilterRecord filter(List<? extends Record> rows) {
    Record row = rows.get(0);
    FilterName name = new FilterName(row.get(Filters.NAME));
    FilterHead head = head(name, row);
    String label = row.get(Filters.LABEL);
    require(TableNames.isLabel(label), name, Filters.LABEL, label);
    TableNames tables = new TableNames(row.get(Filters.ID), label);
    Layout layout = known(Layout.class, row.get(Filters.LAYOUT), name);
    require(isCapacity(head.capacity()), name, Filters.CAPACITY, head.capacity());
    double rate = row.get(Filters.RATE);
    require(isRate(rate), name, Filters.RATE, rate);
    long leaseMillis = row.get(Filters.LEASE_MILLIS);
    require(
        leaseMillis >= 1 && leaseMillis <= LONGEST_LEASE_MILLIS,
        name,
        Filters.LEASE_MILLIS,
        leaseMillis);
    Window window = window(name, head, row);
    if (row.get(Generations.GENERATION) == null) {
      throw corrupt(name, "has no row in bloom_generation");
    }
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
        generations(name, tables, layout, head, window, rows));
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

  private static GenerationSet generations(
      FilterName name,
      TableNames tables,
      Layout layout,
      FilterHead head,
      @Nullable Window window,
      List<? extends Record> rows) {
    Record first = rows.get(0);
    long firstSince = first.get(Generations.SINCE_SEQ);
    // The rows of buckets that expired are deleted some time.
    require(firstSince == 0 || window != null, name, Generations.SINCE_SEQ, firstSince);
    for (int i = 1; i < rows.size(); i++) {
      Record before = rows.get(i - 1);
      Record next = rows.get(i);
      int number = next.get(Generations.GENERATION);
      long since = next.get(Generations.SINCE_SEQ);
      require(
          number == before.get(Generations.GENERATION) + 1, name, Generations.GENERATION, number);
      require(since > before.get(Generations.SINCE_SEQ), name, Generations.SINCE_SEQ, since);
    }
    require(
        rows.get(rows.size() - 1).get(Generations.STATE_TOKEN) == head.generationToken(),
        name,
        Filters.GENERATION_TOKEN,
        head.generationToken());
    GenerationSet set = set(name, tables, layout, window, rows);
    Bucket newest = set.newest().bucket();
    require(
        newest == null || newest.number() == head.bucket(), name, Filters.BUCKET, head.bucket());
    return set;
  }

  /**
   * Returns the generations that are in use, from rows up to the newest.
   *
   * @param window null if keys never expire
   * @throws CorruptFilterException if no generation is in use
   */
  static GenerationSet set(
      FilterName name,
      TableNames tables,
      Layout layout,
      @Nullable Window window,
      List<? extends Record> rows) {
    List<GenerationRecord> read = new ArrayList<>();
    GenerationRecord target = null;
    for (Record row : rows) {
      GenerationState state = known(GenerationState.class, row.get(GENERATION_STATE), name);
      if (state == GenerationState.ACTIVE) {
        read.add(generation(name, tables, layout, row).in(bucket(name, window, read, row)));
      } else if (state == GenerationState.FILLING) {
        target = generation(name, tables, layout, row);
      }
    }
    if (read.isEmpty()) {
      throw corrupt(name, "has no row of the state ACTIVE in bloom_generation");
    }
    return new GenerationSet(read, target);
  }

  private static @Nullable Bucket bucket(
      FilterName name, @Nullable Window window, List<GenerationRecord> older, Record row) {
    Long number = row.get(GENERATION_BUCKET);
    require((number == null) == (window == null), name, Generations.BUCKET, String.valueOf(number));
    if (number == null || window == null) {
      return null;
    }
    Bucket before = older.isEmpty() ? null : older.get(older.size() - 1).bucket();
    require(
        number >= (before == null ? 0 : before.number()) && number <= MOST_BUCKETS,
        name,
        Generations.BUCKET,
        number);
    return new Bucket(number, window.buckets());
  }

  private static GenerationRecord generation(
      FilterName name, TableNames tables, Layout layout, Record row) {
    int number = row.get(Generations.GENERATION);
    require(number >= 1, name, Generations.GENERATION, number);
    long capacity = row.get(GENERATION_CAPACITY);
    require(isCapacity(capacity), name, Generations.CAPACITY, capacity);
    double rate = row.get(GENERATION_RATE);
    require(isRate(rate), name, Generations.RATE, rate);
    return new GenerationRecord(
        number,
        row.get(Generations.SINCE_SEQ),
        row.get(Generations.SINCE_TOKEN),
        capacity,
        rate,
        parameters(name, layout, row),
        tables.slots(number),
        row.get(Generations.CUTOVER_SEQ));
  }

  private static BloomParameters parameters(FilterName name, Layout layout, Record row) {
    try {
      return new BloomParameters(layout, row.get(Generations.BITS), row.get(Generations.HASHES));
    } catch (InvalidParameterException e) {
      throw corrupt(name, "has a row in bloom_generation that cannot be right: " + e.getMessage());
    }
  }

  private static boolean isCapacity(long keys) {
    return keys >= 1 && keys <= Sizing.MAX_CAPACITY;
  }

  /**
   * Returns true if the rate is valid. A rate of 1 is: an explicit size may be so small that the
   * rate is rounded to 1.
   */
  private static boolean isRate(double rate) {
    return rate > 0 && rate <= 1;
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
            + ", which Slotbloom never stores. Put the row back as it was, or restore the bloom_"
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
        row.get(Filters.GENERATION_TOKEN),
        known(WhenFull.class, row.get(Filters.ON_FULL), name),
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
