-- Keys can be removed from filters that are made for it. Each such filter has a table of the hashes that were removed since its oldest
-- generation was built: one table a filter, since in a shared one a read of a missing hash would lock the gap to the rows of another
-- filter. Each column is added unless it is there, as in V2.

SET @slotbloom_ddl = (SELECT IF(COUNT(*) > 0, 'DO 0',
    'ALTER TABLE bloom_filter ADD COLUMN removable_percent TINYINT UNSIGNED NULL COMMENT ''share of the capacity that is removed when a filter with retained hashes is built anew; null: keys cannot be removed''')
  FROM information_schema.columns WHERE table_schema = DATABASE() AND table_name = 'bloom_filter' AND column_name = 'removable_percent');
PREPARE slotbloom_ddl FROM @slotbloom_ddl;
EXECUTE slotbloom_ddl;
DEALLOCATE PREPARE slotbloom_ddl;

SET @slotbloom_ddl = (SELECT IF(COUNT(*) > 0, 'DO 0',
    'ALTER TABLE bloom_journal ADD COLUMN keys_removed BIGINT UNSIGNED NULL COMMENT ''in row 0 of removable filters only: hashes that are removed and still have their bits''')
  FROM information_schema.columns WHERE table_schema = DATABASE() AND table_name = 'bloom_journal' AND column_name = 'keys_removed');
PREPARE slotbloom_ddl FROM @slotbloom_ddl;
EXECUTE slotbloom_ddl;
DEALLOCATE PREPARE slotbloom_ddl;

ALTER TABLE bloom_journal MODIFY COLUMN kind VARCHAR(20) CHARACTER SET ascii COLLATE ascii_bin NOT NULL
  COMMENT 'ADD: new keys; REMOVE: removed keys; RETURN, READD: removed keys that are new again, with their bits as they are or set anew; SEEN: keys that were answered seen, where hashes are retained; FILL: keys for the generation that is to replace the others; MERGE: bits of another filter; GROW, REPLACE, CUTOVER, ABORT: what becomes of generations; END: row 0';

CREATE OR REPLACE ALGORITHM = TEMPTABLE SQL SECURITY INVOKER VIEW bloom_filter_status AS
SELECT
  f.id AS filter_id,
  f.name,
  f.state,
  f.key_type,
  f.hash,
  f.layout,
  f.on_full AS when_full,
  f.capacity,
  e.keys_added,
  e.keys_removed,
  ROUND(100 * (e.keys_added + IF(f.retain_hashes, COALESCE(e.keys_removed, 0), 0)) / f.capacity, 1) AS percent_full,
  f.false_positive_rate AS target_false_positive_rate,
  answering.generations,
  answering.bits,
  ROUND(answering.bits / f.capacity, 1) AS bits_per_key,
  f.epoch,
  e.last_seq AS last_entry,
  newest.created_at AS last_entry_utc,
  d.folded_seq AS folded_entry,
  CAST(e.last_seq AS SIGNED) - CAST(d.folded_seq AS SIGNED) AS backlog_entries,
  CASE WHEN e.last_seq <= d.folded_seq THEN 0
    ELSE GREATEST(0, ROUND(TIMESTAMPDIFF(MICROSECOND, unfolded.created_at, UTC_TIMESTAMP(3)) / 1000000, 1))
  END AS lag_seconds,
  f.created_at AS created_utc
FROM bloom_filter f
LEFT JOIN (
  SELECT
    filter_id,
    COUNT(*) AS generations,
    CAST(SUM(bits) AS UNSIGNED) AS bits
  FROM bloom_generation
  WHERE state = 'ACTIVE'
  GROUP BY filter_id
) answering ON answering.filter_id = f.id
LEFT JOIN bloom_journal e ON e.filter_id = f.id AND e.seq = 0
LEFT JOIN bloom_fold d ON d.filter_id = f.id
LEFT JOIN bloom_journal newest ON newest.filter_id = f.id AND newest.seq = e.last_seq AND newest.seq > 0
LEFT JOIN bloom_journal unfolded ON unfolded.filter_id = f.id AND unfolded.seq = d.folded_seq + 1;
