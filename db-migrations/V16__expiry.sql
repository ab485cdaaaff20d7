-- A filter may expire. Each column is added unless it is there, as in V2.

SET @slotbloom_ddl = (SELECT IF(COUNT(*) > 0, 'DO 0',
    'ALTER TABLE bloom_filter ADD COLUMN expires_at DATETIME(3) NULL COMMENT ''UTC; from then on the filter is there for nobody; null: it never expires''')
  FROM information_schema.columns WHERE table_schema = DATABASE() AND table_name = 'bloom_filter' AND column_name = 'expires_at');
PREPARE slotbloom_ddl FROM @slotbloom_ddl;
EXECUTE slotbloom_ddl;
DEALLOCATE PREPARE slotbloom_ddl;

SET @slotbloom_ddl = (SELECT IF(COUNT(*) > 0, 'DO 0',
    'ALTER TABLE bloom_filter ADD COLUMN expiry_noticed_at DATETIME(3) NULL COMMENT ''UTC; when somebody first found it expired; it can be brought back for an hour from then on''')
  FROM information_schema.columns WHERE table_schema = DATABASE() AND table_name = 'bloom_filter' AND column_name = 'expiry_noticed_at');
PREPARE slotbloom_ddl FROM @slotbloom_ddl;
EXECUTE slotbloom_ddl;
DEALLOCATE PREPARE slotbloom_ddl;

CREATE OR REPLACE ALGORITHM = TEMPTABLE SQL SECURITY INVOKER VIEW bloom_filter_status AS
SELECT
  f.id AS filter_id,
  f.name,
  IF(f.state IN ('ACTIVE', 'CLEARING') AND f.expires_at <= UTC_TIMESTAMP(6), 'EXPIRED', f.state) AS state,
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
  f.created_at AS created_utc,
  f.expires_at AS expires_utc
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
