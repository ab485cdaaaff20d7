package io.github.slotbloom.internal.store.filter;

import static org.jooq.impl.DSL.coalesce;
import static org.jooq.impl.DSL.inline;

import io.github.slotbloom.core.FilterName;
import io.github.slotbloom.core.Seed;
import io.github.slotbloom.error.CorruptFilterException;
import io.github.slotbloom.error.FilterNotFoundException;
import io.github.slotbloom.internal.store.Tables;
import io.github.slotbloom.internal.store.Tables.Filters;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jooq.Field;
import org.jooq.Record;
import org.jooq.impl.DSL;

/**
 * The part of a filter's catalog row that never changes. All processes must agree on it: the
 * identity of the filter, the hash of a key, the layout, how long a clear waits for other
 * processes, and if hashes may be deleted.
 *
 * @param bucketMillis length of a bucket in milliseconds; zero if keys never expire
 * @param windowBuckets the number of buckets for which a key is found; zero if keys never expire
 */
public record FilterMake(
    String name,
    String label,
    Instant createdAt,
    String keyType,
    String hash,
    Seed seed,
    String layout,
    long leaseMillis,
    boolean retainHashes,
    boolean removable,
    long bucketMillis,
    int windowBuckets) {

  public static final Field<Long> CREATED_MILLIS_OF_ROW = Tables.millisOf(Filters.CREATED_AT);

  public static final Field<Long> CREATED_MILLIS = CREATED_MILLIS_OF_ROW.as("created_millis");

  public static final Field<Long> BUCKET_MILLIS =
      coalesce(Filters.BUCKET_MILLIS, inline(0L)).as("bucket_length");

  public static final Field<Integer> WINDOW_BUCKETS =
      coalesce(Filters.WINDOW_BUCKETS, inline(0)).as("buckets_of_window");

  public static final Field<Boolean> REMOVABLE =
      DSL.field(Filters.REMOVABLE_PERCENT.isNotNull()).as("removable");

  public static final List<Field<?>> FIELDS =
      List.of(
          Filters.NAME,
          Filters.LABEL,
          CREATED_MILLIS,
          Filters.KEY_TYPE,
          Filters.HASH,
          Filters.SEED,
          Filters.LAYOUT,
          Filters.LEASE_MILLIS,
          Filters.RETAIN_HASHES,
          REMOVABLE,
          BUCKET_MILLIS,
          WINDOW_BUCKETS);

  public static FilterMake of(Record row) {
    return new FilterMake(
        row.get(Filters.NAME),
        row.get(Filters.LABEL),
        Instant.ofEpochMilli(row.get(CREATED_MILLIS)),
        row.get(Filters.KEY_TYPE),
        row.get(Filters.HASH),
        Seed.of(row.get(Filters.HASH), row.get(Filters.SEED)),
        row.get(Filters.LAYOUT),
        row.get(Filters.LEASE_MILLIS),
        row.get(Filters.RETAIN_HASHES),
        row.get(REMOVABLE),
        row.get(BUCKET_MILLIS),
        row.get(WINDOW_BUCKETS));
  }

  /**
   * Returns true if both are the same filter. Another schema may have a different filter with the
   * same id and name. So may this schema, after an older backup was restored.
   */
  public boolean isSameFilterAs(FilterMake other) {
    return name.equals(other.name) && createdAt.equals(other.createdAt);
  }

  /**
   * Refuses the same filter if it has another name since.
   *
   * @throws FilterNotFoundException if it has; the message shows both names
   */
  public void requireNotRenamed(FilterMake now) {
    if (createdAt.equals(now.createdAt)) {
      requireNotRenamed(name, now.name);
    }
  }

  public static void requireNotRenamed(String before, String now) {
    if (!before.equals(now)) {
      throw new FilterNotFoundException(
          "Filter %s was renamed to %s. It still has its keys: open it by its new name."
              .formatted(new FilterName(before), new FilterName(now)));
    }
  }

  /**
   * Refuses a change since the filter was opened.
   *
   * @throws CorruptFilterException if anything changed; the message shows both values
   */
  public void requireUnchanged(FilterMake now) {
    List<String> changes = new ArrayList<>();
    compare(changes, "label", label, now.label);
    compare(changes, "key type", keyType, now.keyType);
    compare(changes, "hash", hash, now.hash);
    if (!seed.secret() && !now.seed.secret()) {
      compare(changes, "seed", seed, now.seed);
    } else if (seed.value() != now.seed.value()) {
      changes.add("the seeds differ (neither is shown)");
    }
    compare(changes, "layout", layout, now.layout);
    compare(changes, "lease in milliseconds", leaseMillis, now.leaseMillis);
    compare(changes, "retain hashes", retainHashes, now.retainHashes);
    compare(changes, "removable", removable, now.removable);
    compare(changes, "length of a bucket in milliseconds", bucketMillis, now.bucketMillis);
    compare(changes, "buckets of the window", windowBuckets, now.windowBuckets);
    requireNone(new FilterName(name), changes);
  }

  /** Returns the values of {@link FilterRecord#UNCHANGED}. */
  public List<Object> unchanged() {
    return List.of(
        // An empty text would be NULL in a mode of MariaDB.
        "-" + label,
        keyType,
        hash,
        seed.value(),
        layout,
        leaseMillis,
        retainHashes,
        removable,
        bucketMillis,
        windowBuckets);
  }

  /** Adds a description of a change with both values, if there is one. */
  public static void compare(List<String> changes, String what, Object before, Object now) {
    if (!before.equals(now)) {
      changes.add(what + " was " + before + " and is " + now);
    }
  }

  public static void requireNone(FilterName name, List<String> changes) {
    if (!changes.isEmpty()) {
      throw new CorruptFilterException(
          "The row of filter "
              + name
              + " in bloom_filter was changed since this process opened it: "
              + String.join("; ", changes)
              + ". Put the old values back if its keys were added with them; otherwise open the"
              + " filter again.");
    }
  }
}
