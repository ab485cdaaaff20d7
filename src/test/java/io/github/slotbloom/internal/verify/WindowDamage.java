package io.github.slotbloom.internal.verify;

import io.github.slotbloom.report.Finding.Kind;
import io.github.slotbloom.testing.StoredManifest;
import java.sql.SQLException;

/** What is done to a window of three buckets with 100 keys each, and what is to be found. */
enum WindowDamage {
  BUCKET_OF_AN_OLDER_GENERATION(m -> m.add(2, "bucket", -1), Kind.PARAMETERS),
  BUCKET_OF_THE_NEWEST_GENERATION(m -> m.add(3, "bucket", 1), Kind.PARAMETERS),
  BUCKET_OF_BOTH(
      "UPDATE bloom_filter SET bucket = bucket + 1 WHERE $i",
      m -> m.add(3, "bucket", 1),
      Kind.PARAMETERS),
  BUCKETS_FEWER(
      "UPDATE bloom_filter SET window_buckets = window_buckets - 1 WHERE $i", Kind.PARAMETERS),
  LEFT_TOO_EARLY(m -> m.remove(1), Kind.PARAMETERS),
  LEFT_IN_BETWEEN(m -> m.remove(2), Kind.PARAMETERS),
  BEGUN_BY_ANOTHER_ENTRY(m -> m.add(2, "since", 1), Kind.PARAMETERS),
  ANOTHER_FALSE_POSITIVE_RATE(
      m -> m.set(2, "rate", 3 * Double.parseDouble(m.value(2, "rate"))), Kind.PARAMETERS),
  BUCKET_NOT_COUNTED(m -> m.cut(2, "keys", "renewed"), Kind.PARAMETERS),
  BUCKET_COUNTED_WRONG(m -> m.add(2, "keys", 1), Kind.PARAMETERS),
  REMOVED_COUNTED_WRONG(m -> m.add(2, "removed", 1), Kind.PARAMETERS),
  RENEWED_COUNTED_WRONG(m -> m.add(2, "renewed", 1), Kind.PARAMETERS),
  WENT_ON(m -> m.set(2, "went_on", true), Kind.PARAMETERS),
  TABLE_ROW_GONE("DELETE FROM bloom_table WHERE $f AND generation = 2", Kind.PARAMETERS),
  TABLE_AHEAD_GONE("DROP TABLE $4", Kind.SLOT_TABLE),
  BITS_OF_NO_KEY("UPDATE $1 SET bits = ~0 WHERE slot < 120", Kind.FILL),
  SLOT_LOST_IN_THE_OLDEST_BUCKET(
      "DELETE FROM $1 WHERE bits <> 0 ORDER BY slot LIMIT 1", Kind.BITS_MISSING),
  TABLE_GONE("DROP TABLE $2", Kind.SLOT_TABLE);

  interface Change {
    void doTo(StoredManifest manifest) throws SQLException;
  }

  final String sql;
  final Change manifest;
  final Kind kind;

  WindowDamage(String sql, Kind kind) {
    this(sql, manifest -> {}, kind);
  }

  WindowDamage(Change manifest, Kind kind) {
    this("DO 0", manifest, kind);
  }

  WindowDamage(String sql, Change manifest, Kind kind) {
    this.sql = sql;
    this.manifest = manifest;
    this.kind = kind;
  }

  /** Returns true if keys are looked for in another generation then. */
  boolean isMoved() {
    return this == BEGUN_BY_ANOTHER_ENTRY || this == LEFT_IN_BETWEEN;
  }

  boolean isMendable() {
    return kind == Kind.BITS_MISSING;
  }
}
