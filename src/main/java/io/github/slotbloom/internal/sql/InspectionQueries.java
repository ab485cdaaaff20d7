package io.github.slotbloom.internal.sql;

import io.github.slotbloom.internal.store.catalog.FilterRecord;
import io.github.slotbloom.internal.store.catalog.GenerationRecord;
import io.github.slotbloom.internal.store.catalog.RemovalRecord;
import io.github.slotbloom.report.InspectionQuery;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Provides queries that show a filter in any client: how full it is, how far it is folded, how
 * large it is, and how it came to be. A statement cannot take a table name from the catalog, so the
 * queries are made for the generations of one moment. The first query shows if these are still the
 * current ones. Numbers are formatted with %s, because the digits of %d depend on the locale.
 */
public final class InspectionQueries {

  /**
   * The number of keys in an entry. Only these kinds of entries hold hashes of keys, eight bytes
   * each.
   */
  private static final String KEYS_OF_ENTRY = "IF(kind IN (%s), LENGTH(payload) DIV 8, 0)";

  private final FilterRecord filter;
  private final String keysOfEntry;

  /** A condition: true for an entry whose keys are new. */
  private final String newKeys;

  public InspectionQueries(FilterRecord filter) {
    this.filter = filter;
    keysOfEntry =
        KEYS_OF_ENTRY.formatted(
            filter.removable()
                ? "'ADD', 'REMOVE', 'RETURN', 'READD', 'FILL', 'SEEN'"
                : filter.window() == null ? "'ADD', 'FILL', 'SEEN'" : "'ADD', 'RENEW'");
    newKeys = filter.removable() ? "kind IN ('ADD', 'RETURN', 'READD')" : "kind = 'ADD'";
  }

  /** Returns all queries, in the order in which one would look. */
  public List<InspectionQuery> all() {
    SlotQueries slots = new SlotQueries(filter);
    List<InspectionQuery> queries = new ArrayList<>();
    queries.add(stillFit());
    queries.add(filterStatus());
    if (filter.window() != null) {
      queries.add(new BucketQuery(filter, filter.window()).query());
    }
    queries.add(slots.fill());
    queries.add(slots.estimatedKeys());
    queries.add(slots.falsePositiveRate());
    if (filter.removal() != null) {
      queries.add(new RemovedKeysQuery(filter, filter.removal()).query());
    }
    queries.addAll(slots.skew());
    queries.add(backlog());
    queries.add(lag());
    queries.add(sizeOnDisk());
    queries.add(growth());
    queries.add(journal());
    queries.add(newestEntries());
    queries.add(keysPerMinute());
    queries.add(usage());
    queries.add(slots.bitsOutside());
    return List.copyOf(queries);
  }

  private InspectionQuery stillFit() {
    return new InspectionQuery(
        "Whether these queries still fit",
        """
        Those that follow name the slot tables of this moment. Once the filter grew, was replaced, or
        was dropped%s, print them again. Reads one row."""
            .formatted(filter.window() == null ? "" : ", or another bucket began"),
        """
        SELECT IF(COUNT(*) = 1, 'yes', 'no, print them again') AS still_fit
          FROM bloom_filter
          WHERE id = %s AND generation_token = %s;"""
            .formatted(filter.id(), filter.head().generationToken()));
  }

  private InspectionQuery filterStatus() {
    return new InspectionQuery(
        "The filter",
        """
        What it was made for, and how many keys %s. Reads
        the catalog."""
            .formatted(
                filter.window() == null
                    ? "were answered \"new\" since it was made or cleared"
                    : "the buckets that count were given"),
        """
        SELECT name, state, key_type, hash, layout, capacity, keys_added, %spercent_full,
            target_false_positive_rate, generations, bits, bits_per_key, epoch, created_utc%s
          FROM bloom_filter_status
          WHERE filter_id = %s;"""
            .formatted(
                filter.removable() ? "keys_removed, " : "",
                (filter.head().expiresAt() == null ? "" : ", expires_utc")
                    + (filter.window() == null
                        ? ""
                        : ",\n    window_seconds, window_buckets, bucket_begins_utc"),
                filter.id()));
  }

  private InspectionQuery backlog() {
    return new InspectionQuery(
        "Backlog",
        """
        Entries of the journal whose keys are not in the slot tables yet; those of a merged filter are not
        counted as keys. Reads these entries.""",
        """
        SELECT COUNT(*) AS backlog_entries,
            COALESCE(SUM(%s), 0) AS backlog_keys,
            MIN(seq) AS first_entry, MAX(seq) AS last_entry, MIN(created_at) AS oldest_utc
          FROM bloom_journal
          WHERE filter_id = %s
            AND seq > (SELECT folded_seq FROM bloom_fold WHERE filter_id = %2$s);"""
            .formatted(keysOfEntry, filter.id()));
  }

  private InspectionQuery lag() {
    return new InspectionQuery(
        "Lag",
        """
        The age of the oldest entry that is not folded, which is how far the slot tables are behind;
        0 where nothing waits. Reads single rows by primary key.""",
        """
        SELECT last_entry, last_entry_utc, folded_entry, backlog_entries, lag_seconds
          FROM bloom_filter_status
          WHERE filter_id = %s;"""
            .formatted(filter.id()));
  }

  private InspectionQuery sizeOnDisk() {
    return new InspectionQuery(
        "Size on disk",
        """
        By the statistics of the server, which follow changes by some seconds; numbers of rows are
        estimates. MySQL shows figures that may be a day old, unless the session has set
        information_schema_stats_expiry to 0. Tables that the account has no right to are missing. The
        last two hold the rows of all filters. Reads none of the tables.""",
        """
        SELECT table_name AS table_name, table_rows AS rows_about,
            ROUND(data_length / 1048576, 1) AS data_mib, ROUND(data_free / 1048576, 1) AS free_mib,
            ROUND(data_length / NULLIF(table_rows, 0), 1) AS bytes_per_row
          FROM information_schema.tables
          WHERE table_schema = DATABASE()
            AND table_name IN (
              %s,
              'bloom_hash_block', 'bloom_journal')
          ORDER BY table_name;"""
            .formatted(
                tables().map(table -> "'" + table + "'").collect(Collectors.joining(",\n      "))));
  }

  private Stream<String> tables() {
    return Stream.concat(
        filter.set().all().stream().map(GenerationRecord::slotTable),
        Stream.ofNullable(filter.removal()).map(RemovalRecord::table));
  }

  private InspectionQuery growth() {
    return new InspectionQuery(
        "Growth history",
        """
        %s Keys of the entries after
        since_entry go to a generation, until the next one begins. Reads the catalog."""
            .formatted(
                filter.window() == null
                    ? "Every generation that the filter ever had, those that are gone included."
                    : "Every generation whose row is there; those that expired go, some time later."),
        """
        SELECT generation, in_words, since_entry, capacity, target_false_positive_rate, bits,
            bits_set_by_a_key, bits_per_key, created_utc
          FROM bloom_generation_status
          WHERE filter_id = %s
          ORDER BY generation;"""
            .formatted(filter.id()));
  }

  private InspectionQuery journal() {
    return new InspectionQuery(
        "Journal",
        """
        What the journal holds of this filter, folded entries included, which are kept for %s.
        Reads all its entries."""
            .formatted(inWords(filter)),
        """
        SELECT COUNT(*) AS entries,
            COALESCE(SUM(%s), 0) AS key_count,
            ROUND(COALESCE(SUM(LENGTH(payload)), 0) / 1048576, 1) AS payload_mib,
            MIN(seq) AS first_entry, MAX(seq) AS last_entry,
            MIN(created_at) AS oldest_utc, MAX(created_at) AS newest_utc
          FROM bloom_journal
          WHERE filter_id = %s AND seq > 0;"""
            .formatted(keysOfEntry, filter.id()));
  }

  private static String inWords(FilterRecord filter) {
    long seconds = filter.retention().toSeconds();
    return seconds % 60 == 0 ? seconds / 60 + " minutes" : seconds + " seconds";
  }

  private InspectionQuery newestEntries() {
    return new InspectionQuery(
        "The newest entries of the journal",
        """
        An entry is what one transaction added, or what became of a generation. Reads 20 rows by primary
        key.""",
        """
        SELECT seq AS entry, kind,
            %s AS key_count,
            LENGTH(payload) AS payload_bytes, created_at AS created_utc,
            IF(seq <= (SELECT folded_seq FROM bloom_fold WHERE filter_id = %s), 'yes', 'no') AS folded
          FROM bloom_journal
          WHERE filter_id = %2$s AND seq > 0
          ORDER BY seq DESC
          LIMIT 20;"""
            .formatted(keysOfEntry, filter.id()));
  }

  private InspectionQuery keysPerMinute() {
    return new InspectionQuery(
        "New keys a minute",
        """
        The last 60 minutes in which keys were added, as far as the journal reaches back. Reads all entries
        of this filter.""",
        """
        SELECT minute_utc, entries, key_count,
            REPEAT('#', ROUND(40 * key_count / MAX(key_count) OVER ())) AS bar
          FROM (
            SELECT DATE_FORMAT(created_at, '%%Y-%%m-%%d %%H:%%i') AS minute_utc,
                COUNT(*) AS entries, SUM(LENGTH(payload) DIV 8) AS key_count
              FROM bloom_journal
              WHERE filter_id = %s AND %s
              GROUP BY minute_utc
              ORDER BY minute_utc DESC
              LIMIT 60) AS minutes
          ORDER BY minute_utc;"""
            .formatted(filter.id(), newKeys));
  }

  private InspectionQuery usage() {
    return new InspectionQuery(
        "Use by day",
        """
        What processes told of the last 30 days, some of it half a minute late: questions and the share
        that was answered "there", adds and the share that was answered "seen", and the error rate by the
        false positives that callers reported. Days before the last clear have another epoch. Reads a row
        a day.""",
        """
        SELECT day, epoch, negatives + positives AS questions,
            ROUND(100 * positives / NULLIF(negatives + positives, 0), 2) AS hit_percent,
            new_keys + seen_keys AS adds,
            ROUND(100 * seen_keys / NULLIF(new_keys + seen_keys, 0), 2) AS seen_percent,
            false_positives,
            IF(false_positives = 0, NULL, false_positives / (negatives + new_keys + false_positives))
              AS observed_false_positive_rate
          FROM bloom_usage
          WHERE filter_id = %s
          ORDER BY day DESC, epoch DESC
          LIMIT 30;"""
            .formatted(filter.id()));
  }
}
