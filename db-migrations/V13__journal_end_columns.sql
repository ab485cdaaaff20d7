-- An add is one statement: it inserts entries, and moves the end of the journal. So the end is a row of the journal itself, number 0 of
-- each filter. Two columns hold what only that row has. Each column is added unless it is there, as in V2.

SET @slotbloom_ddl = (SELECT IF(COUNT(*) > 0, 'DO 0',
    'ALTER TABLE bloom_journal ADD COLUMN last_seq BIGINT UNSIGNED NULL COMMENT ''in row 0 only: newest entry''')
  FROM information_schema.columns WHERE table_schema = DATABASE() AND table_name = 'bloom_journal' AND column_name = 'last_seq');
PREPARE slotbloom_ddl FROM @slotbloom_ddl;
EXECUTE slotbloom_ddl;
DEALLOCATE PREPARE slotbloom_ddl;

SET @slotbloom_ddl = (SELECT IF(COUNT(*) > 0, 'DO 0',
    'ALTER TABLE bloom_journal ADD COLUMN keys_added BIGINT UNSIGNED NULL COMMENT ''in row 0 only: keys that were answered new since the last clear''')
  FROM information_schema.columns WHERE table_schema = DATABASE() AND table_name = 'bloom_journal' AND column_name = 'keys_added');
PREPARE slotbloom_ddl FROM @slotbloom_ddl;
EXECUTE slotbloom_ddl;
DEALLOCATE PREPARE slotbloom_ddl;

ALTER TABLE bloom_journal MODIFY COLUMN seq BIGINT UNSIGNED NOT NULL
  COMMENT 'entries: from 1, without gaps, in the order of the commits; 0: the end of the journal, in one row';
ALTER TABLE bloom_journal MODIFY COLUMN token BIGINT NOT NULL COMMENT 'random; in row 0 that of the newest entry';
ALTER TABLE bloom_journal MODIFY COLUMN previous_token BIGINT NOT NULL
  COMMENT 'of the entry before: lost or rewritten history shows; in row 0 a number that changes to stop a statement that may come late';
ALTER TABLE bloom_journal MODIFY COLUMN kind VARCHAR(20) CHARACTER SET ascii COLLATE ascii_bin NOT NULL
  COMMENT 'ADD: new keys; SEEN: keys that were answered seen, where hashes are retained; FILL: keys for the generation that is to replace the others; MERGE: bits of another filter; GROW, REPLACE, CUTOVER, ABORT: what becomes of generations; END: row 0';

-- What the end was before. Only processes of earlier versions read these columns, and they refuse the filters of the next migration.
ALTER TABLE bloom_filter MODIFY COLUMN last_seq BIGINT UNSIGNED NOT NULL DEFAULT 0
  COMMENT 'not used any more: see row 0 of the filter in bloom_journal, or last_entry in bloom_filter_status';
ALTER TABLE bloom_filter MODIFY COLUMN last_token BIGINT NOT NULL DEFAULT 0 COMMENT 'not used any more';
ALTER TABLE bloom_filter MODIFY COLUMN keys_added BIGINT UNSIGNED NOT NULL DEFAULT 0
  COMMENT 'not used any more: see keys_added in bloom_filter_status';

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
  ROUND(100 * e.keys_added / f.capacity, 1) AS percent_full,
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
