-- A filter may be a window: its keys expire. Time is cut into buckets of equal length, numbered from the start of 1970 in UTC, and each
-- generation belongs to one. Each column is added unless it is there, as in V2.

SET @slotbloom_ddl = (SELECT IF(COUNT(*) > 0, 'DO 0',
    'ALTER TABLE bloom_filter ADD COLUMN bucket_millis BIGINT UNSIGNED NULL COMMENT ''windows only: length of a bucket''')
  FROM information_schema.columns WHERE table_schema = DATABASE() AND table_name = 'bloom_filter' AND column_name = 'bucket_millis');
PREPARE slotbloom_ddl FROM @slotbloom_ddl;
EXECUTE slotbloom_ddl;
DEALLOCATE PREPARE slotbloom_ddl;

SET @slotbloom_ddl = (SELECT IF(COUNT(*) > 0, 'DO 0',
    'ALTER TABLE bloom_filter ADD COLUMN window_buckets SMALLINT UNSIGNED NULL COMMENT ''windows only: a key is found for that many buckets; null: keys never expire''')
  FROM information_schema.columns WHERE table_schema = DATABASE() AND table_name = 'bloom_filter' AND column_name = 'window_buckets');
PREPARE slotbloom_ddl FROM @slotbloom_ddl;
EXECUTE slotbloom_ddl;
DEALLOCATE PREPARE slotbloom_ddl;

SET @slotbloom_ddl = (SELECT IF(COUNT(*) > 0, 'DO 0',
    'ALTER TABLE bloom_filter ADD COLUMN window_renews TINYINT UNSIGNED NULL COMMENT ''windows only: 1 if adding a key again lets it live longer''')
  FROM information_schema.columns WHERE table_schema = DATABASE() AND table_name = 'bloom_filter' AND column_name = 'window_renews');
PREPARE slotbloom_ddl FROM @slotbloom_ddl;
EXECUTE slotbloom_ddl;
DEALLOCATE PREPARE slotbloom_ddl;

SET @slotbloom_ddl = (SELECT IF(COUNT(*) > 0, 'DO 0',
    'ALTER TABLE bloom_filter ADD COLUMN bucket BIGINT UNSIGNED NULL COMMENT ''windows only: number of the bucket that takes new keys; it begins at bucket * bucket_millis ms after 1970''')
  FROM information_schema.columns WHERE table_schema = DATABASE() AND table_name = 'bloom_filter' AND column_name = 'bucket');
PREPARE slotbloom_ddl FROM @slotbloom_ddl;
EXECUTE slotbloom_ddl;
DEALLOCATE PREPARE slotbloom_ddl;

SET @slotbloom_ddl = (SELECT IF(COUNT(*) > 0, 'DO 0',
    'ALTER TABLE bloom_generation ADD COLUMN bucket BIGINT UNSIGNED NULL COMMENT ''windows only: number of the last bucket in which the generation took keys''')
  FROM information_schema.columns WHERE table_schema = DATABASE() AND table_name = 'bloom_generation' AND column_name = 'bucket');
PREPARE slotbloom_ddl FROM @slotbloom_ddl;
EXECUTE slotbloom_ddl;
DEALLOCATE PREPARE slotbloom_ddl;

SET @slotbloom_ddl = (SELECT IF(COUNT(*) > 0, 'DO 0',
    'ALTER TABLE bloom_generation ADD COLUMN keys_added BIGINT UNSIGNED NULL COMMENT ''windows only, in the last generation of a bucket that is over: keys that were added in the bucket''')
  FROM information_schema.columns WHERE table_schema = DATABASE() AND table_name = 'bloom_generation' AND column_name = 'keys_added');
PREPARE slotbloom_ddl FROM @slotbloom_ddl;
EXECUTE slotbloom_ddl;
DEALLOCATE PREPARE slotbloom_ddl;

SET @slotbloom_ddl = (SELECT IF(COUNT(*) > 0, 'DO 0',
    'ALTER TABLE bloom_generation ADD COLUMN keys_renewed BIGINT UNSIGNED NULL COMMENT ''as keys_added: keys of older buckets that were added again in the bucket''')
  FROM information_schema.columns WHERE table_schema = DATABASE() AND table_name = 'bloom_generation' AND column_name = 'keys_renewed');
PREPARE slotbloom_ddl FROM @slotbloom_ddl;
EXECUTE slotbloom_ddl;
DEALLOCATE PREPARE slotbloom_ddl;

SET @slotbloom_ddl = (SELECT IF(COUNT(*) > 0, 'DO 0',
    'ALTER TABLE bloom_journal ADD COLUMN keys_renewed BIGINT UNSIGNED NULL COMMENT ''in row 0 of windows only: keys of older buckets that were added again, in all buckets that count''')
  FROM information_schema.columns WHERE table_schema = DATABASE() AND table_name = 'bloom_journal' AND column_name = 'keys_renewed');
PREPARE slotbloom_ddl FROM @slotbloom_ddl;
EXECUTE slotbloom_ddl;
DEALLOCATE PREPARE slotbloom_ddl;

ALTER TABLE bloom_journal MODIFY COLUMN kind VARCHAR(20) CHARACTER SET ascii COLLATE ascii_bin NOT NULL
  COMMENT 'ADD: new keys; REMOVE: removed keys; RETURN, READD: removed keys that are new again, with their bits as they are or set anew; RENEW: keys of older buckets that live longer; SEEN: keys that were answered seen, where hashes are retained; FILL: keys for the generation that is to replace the others; MERGE: bits of another filter; GROW, REPLACE, CUTOVER, ABORT, ROTATE: what becomes of generations; END: row 0';

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
  ROUND(100 * (e.keys_added + COALESCE(e.keys_renewed, 0) + IF(f.retain_hashes, COALESCE(e.keys_removed, 0), 0)) / f.capacity, 1) AS percent_full,
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
  f.expires_at AS expires_utc,
  f.window_buckets * f.bucket_millis / 1000 AS window_seconds,
  f.window_buckets,
  IF(f.removable_percent IS NULL, NULL, CONVERT(CONCAT_WS('_', 'bloom_removed', f.id, NULLIF(f.label, '')) USING ascii)) AS removed_table,
  CAST(TIMESTAMPADD(MICROSECOND, f.bucket * f.bucket_millis * 1000, '1970-01-01') AS DATETIME(3)) AS bucket_begins_utc
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

CREATE OR REPLACE ALGORITHM = TEMPTABLE SQL SECURITY INVOKER VIEW bloom_generation_status AS
SELECT
  g.filter_id,
  f.name,
  g.generation,
  g.state,
  CASE
    WHEN g.state = 'CREATING' THEN 'is being made, and holds no key'
    WHEN g.state = 'READY' THEN 'is made ahead for the next bucket, and holds no key'
    WHEN g.state = 'ACTIVE' AND TIMESTAMPADD(MICROSECOND, (g.bucket + f.window_buckets + 1) * f.bucket_millis * 1000, '1970-01-01') <= UTC_TIMESTAMP(6)
      THEN 'has expired, and answers no more'
    WHEN g.state = 'ACTIVE' AND g.cutover_seq > 0
      THEN CONCAT('answers, since it replaced others with entry ', g.cutover_seq)
    WHEN g.state = 'ACTIVE' AND g.since_seq > 0 THEN CONCAT('answers, since entry ', g.since_seq)
    WHEN g.state = 'ACTIVE' THEN 'answers, from the first entry on'
    WHEN g.state = 'FILLING'
      THEN CONCAT('is being filled since entry ', g.since_seq, ', to replace those that answer')
    WHEN g.state = 'RETIRED' AND g.bucket IS NOT NULL THEN 'has expired, and its table is soon dropped'
    WHEN g.state = 'RETIRED' THEN 'was replaced, and its table is soon dropped'
    WHEN g.state = 'ABORTED' THEN 'was given up, and its table is soon dropped'
    WHEN g.state = 'DROPPED' AND g.bucket IS NOT NULL THEN 'has expired, and its table is gone'
    WHEN g.state = 'DROPPED' THEN 'was replaced or given up, and its table is gone'
  END AS in_words,
  g.since_seq AS since_entry,
  g.capacity,
  g.false_positive_rate AS target_false_positive_rate,
  g.bits,
  g.hashes AS bits_set_by_a_key,
  ROUND(g.bits / g.capacity, 1) AS bits_per_key,
  CONVERT(CONCAT_WS('_', 'bloom_bits', g.filter_id, NULLIF(f.label, ''), CONCAT('v', g.generation)) USING ascii) AS slot_table,
  g.created_at AS created_utc,
  g.bucket,
  CAST(TIMESTAMPADD(MICROSECOND, g.bucket * f.bucket_millis * 1000, '1970-01-01') AS DATETIME(3)) AS bucket_begins_utc,
  CAST(TIMESTAMPADD(MICROSECOND, (g.bucket + f.window_buckets + 1) * f.bucket_millis * 1000, '1970-01-01') AS DATETIME(3)) AS bucket_expires_utc,
  IF(g.generation = counted.newest, CAST(e.keys_added AS SIGNED) - counted.keys_added, CAST(g.keys_added AS SIGNED)) AS keys_added,
  IF(g.generation = counted.newest, CAST(e.keys_renewed AS SIGNED) - counted.keys_renewed, CAST(g.keys_renewed AS SIGNED)) AS keys_renewed
FROM bloom_generation g
JOIN bloom_filter f ON f.id = g.filter_id
LEFT JOIN bloom_journal e ON e.filter_id = g.filter_id AND e.seq = 0
LEFT JOIN (
  SELECT
    filter_id,
    MAX(generation) AS newest,
    CAST(COALESCE(SUM(keys_added), 0) AS SIGNED) AS keys_added,
    CAST(COALESCE(SUM(keys_renewed), 0) AS SIGNED) AS keys_renewed
  FROM bloom_generation
  WHERE state = 'ACTIVE' AND bucket IS NOT NULL
  GROUP BY filter_id
) counted ON counted.filter_id = g.filter_id;
