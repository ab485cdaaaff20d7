package io.github.slotbloom.internal.sql;

import io.github.slotbloom.core.Window;
import io.github.slotbloom.internal.store.catalog.Bucket;
import io.github.slotbloom.internal.store.catalog.FilterRecord;
import io.github.slotbloom.internal.store.catalog.GenerationRecord;
import io.github.slotbloom.report.InspectionQuery;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The query that shows the buckets of a window, and the conditions for those that expired. */
final class BucketQuery {

  private static final DateTimeFormatter UTC =
      DateTimeFormatter.ofPattern("uuuu-MM-dd HH:mm:ss.SSS", Locale.ROOT).withZone(ZoneOffset.UTC);

  private final FilterRecord filter;
  private final Window window;

  BucketQuery(FilterRecord filter, Window window) {
    this.filter = filter;
    this.window = window;
  }

  /**
   * Returns the condition for a generation that answers by the clock of the server, and null if
   * that does not matter, since keys never expire.
   */
  static @Nullable String lasts(FilterRecord filter, GenerationRecord generation) {
    Window window = filter.window();
    Bucket bucket = generation.bucket();
    return window == null || bucket == null
        ? null
        : "UTC_TIMESTAMP(3) < '%s'"
            .formatted(UTC.format(window.begin(bucket.number() + window.buckets() + 1)));
  }

  InspectionQuery query() {
    String tables =
        filter.generations().stream()
            .map(generation -> "'" + generation.slotTable() + "'")
            .collect(Collectors.joining(",\n          "));
    return new InspectionQuery(
        "Buckets",
        """
        From when to when each bucket took keys, when they expire, how many were added, and how many of
        older buckets were added again. A bucket that grew has several generations; the last of them has
        its numbers. Keys are found for %s buckets after their own. The size is that of the
        statistics of the server. Reads the catalog."""
            .formatted(window.buckets()),
        """
        SELECT g.bucket, g.generation, g.bucket_begins_utc AS begins_utc,
            CAST(g.bucket_begins_utc + INTERVAL %1$s MICROSECOND AS DATETIME(3)) AS ends_utc,
            g.bucket_expires_utc AS expires_utc,
            IF(g.bucket_expires_utc <= UTC_TIMESTAMP(3), 'yes', 'no') AS expired,
            g.keys_added, g.keys_renewed, g.capacity, t.data_length AS table_bytes
          FROM bloom_generation_status g
          LEFT JOIN (
            SELECT table_name AS slot_table, data_length AS data_length
              FROM information_schema.tables
              WHERE table_schema = DATABASE()
                AND table_name IN (
                  %2$s)) AS t
            ON t.slot_table = g.slot_table
          WHERE g.filter_id = %3$s AND g.state = 'ACTIVE'
          ORDER BY g.generation;"""
            .formatted(window.bucketLength().toMillis() * 1000, tables, filter.id()));
  }
}
