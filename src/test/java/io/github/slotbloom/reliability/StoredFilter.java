package io.github.slotbloom.reliability;

import io.github.slotbloom.core.HashAlgorithm;
import io.github.slotbloom.core.KeyHash;
import io.github.slotbloom.core.Layout;
import io.github.slotbloom.testing.Sql;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Optional;

/**
 * The rows of a filter in {@code bloom_filter} and {@code bloom_fold}.
 *
 * @param slotTables how the names of its slot tables begin
 */
record StoredFilter(
    long id,
    String name,
    String state,
    long epoch,
    long lastSeq,
    long lastToken,
    long keysAdded,
    long keysRemoved,
    long foldedSeq,
    long manifestToken,
    ManifestRow manifest,
    String slotTables,
    boolean retainsHashes,
    int windowBuckets,
    long keysRenewed,
    Optional<String> removedTable,
    Layout layout,
    KeyHash hash) {

  boolean isWindow() {
    return windowBuckets > 0;
  }

  String slotTable(GenerationRow generation) {
    return slotTables + "_v" + generation.number();
  }

  static StoredFilter read(Connection connection, String name) throws SQLException {
    return Sql.read(
            connection,
            "SELECT f.*, e.keys_renewed AS counted_renewed, e.last_seq AS end_seq, e.token AS end_token, e.keys_added AS counted,"
                + " e.keys_removed AS counted_removed,"
                + " (SELECT removed_table FROM bloom_filter_status WHERE filter_id = f.id)"
                + " AS removed_table,"
                + " CONCAT_WS('_', 'bloom_bits', f.id, NULLIF(f.label, '')) AS slot_tables,"
                + " d.folded_seq FROM bloom_filter f"
                + " JOIN bloom_journal e ON e.filter_id = f.id AND e.seq = 0"
                + " JOIN bloom_fold d ON d.filter_id = f.id"
                + " WHERE f.name = ?",
            StoredFilter::of,
            name)
        .stream()
        .findFirst()
        .orElseThrow(() -> new AssertionError("There is no filter " + name));
  }

  private static StoredFilter of(ResultSet row) throws SQLException {
    return new StoredFilter(
        row.getLong("id"),
        row.getString("name"),
        row.getString("state"),
        row.getLong("epoch"),
        row.getLong("end_seq"),
        row.getLong("end_token"),
        row.getLong("counted"),
        row.getLong("counted_removed"),
        row.getLong("folded_seq"),
        row.getLong("manifest_token"),
        ManifestRow.of(row.getString("manifest")),
        row.getString("slot_tables"),
        row.getBoolean("retain_hashes"),
        row.getInt("window_buckets"),
        row.getLong("counted_renewed"),
        Optional.ofNullable(row.getString("removed_table")),
        Layout.valueOf(row.getString("layout")),
        HashAlgorithm.byId(row.getString("hash")).create(row.getLong("seed")));
  }
}
