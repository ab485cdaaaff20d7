package io.github.slotbloom.internal.sql;

import io.github.slotbloom.internal.store.catalog.FilterRecord;
import io.github.slotbloom.internal.store.catalog.RemovalRecord;
import io.github.slotbloom.report.InspectionQuery;

/** Provides the query about removed keys, for a filter whose keys can be removed. */
record RemovedKeysQuery(FilterRecord filter, RemovalRecord removal) {

  InspectionQuery query() {
    return new InspectionQuery(
        "Removed keys",
        """
        How many keys are removed, and how many may be before the filter must be built anew; removals and
        returns that are not folded yet; the rows of the table with the removed hashes, and those left from
        before the filter was built anew, which mean nothing. Reads that table once, and the entries that
        are not folded.""",
        """
        SELECT keys_removed, removable_keys,
            ROUND(1e2 * keys_removed / removable_keys, 1) AS percent_removed,
            COALESCE(unfolded_removals, 0) AS unfolded_removals,
            COALESCE(unfolded_returns, 0) AS unfolded_returns,
            COALESCE(table_rows, 0) AS table_rows, COALESCE(old_rows, 0) AS old_rows
          FROM (
            SELECT keys_removed FROM bloom_journal WHERE filter_id = %1$s AND seq = 0) AS counted,
          (
            SELECT GREATEST(%2$s, capacity) AS removable_keys
              FROM bloom_filter WHERE id = %1$s) AS allowed,
          (
            SELECT SUM(IF(kind = 'REMOVE', LENGTH(payload) DIV 8, 0)) AS unfolded_removals,
                SUM(IF(kind IN ('RETURN', 'READD'), LENGTH(payload) DIV 8, 0)) AS unfolded_returns
              FROM bloom_journal
              WHERE filter_id = %1$s
                AND seq > (SELECT folded_seq FROM bloom_fold WHERE filter_id = %1$s)) AS unfolded,
          (
            SELECT SUM(seq > %3$s) AS table_rows, SUM(seq > 0 AND seq <= %3$s) AS old_rows FROM %4$s) AS folded;"""
            .formatted(filter.id(), removal.most(0), filter.set().removedAfter(), removal.table()));
  }
}
