-- The tables that all filters share, and the views. Each filter's own tables are created with the filter.
-- IF NOT EXISTS and OR REPLACE let an interrupted run be repeated: DDL is not transactional.

-- The name has a collation in which trailing spaces count. MySQL and MariaDB have none in common, so the statement is built here.
SET @slotbloom_ddl = (SELECT CONCAT('CREATE TABLE IF NOT EXISTS bloom_filter (
  id                  BIGINT UNSIGNED NOT NULL AUTO_INCREMENT COMMENT ''never used twice; part of the names of its tables'',
  name                VARCHAR(200) CHARACTER SET utf8mb4 COLLATE ', MAX(collation_name), ' NOT NULL COMMENT ''compared exactly: case, accents and trailing spaces count'',
  label               VARCHAR(24) CHARACTER SET ascii COLLATE ascii_bin NOT NULL COMMENT ''derived from the name at creation; part of the names of its tables'',
  state               VARCHAR(20) CHARACTER SET ascii COLLATE ascii_bin NOT NULL COMMENT ''RESERVING, IMPORTING: cannot be opened yet; ACTIVE; DROPPING: any process may finish the drop'',
  format_version      INT UNSIGNED NOT NULL COMMENT ''format of everything that is stored for this filter'',
  key_type            VARCHAR(40) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  hash                VARCHAR(20) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  seed                BIGINT NOT NULL COMMENT ''of the hash function'',
  layout              VARCHAR(20) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  capacity            BIGINT UNSIGNED NOT NULL COMMENT ''capacity of the active generations in keys'',
  false_positive_rate DOUBLE NOT NULL COMMENT ''target of the whole filter at capacity'',
  growable            BOOLEAN NOT NULL,
  on_full             VARCHAR(20) CHARACTER SET ascii COLLATE ascii_bin NOT NULL COMMENT ''GROW, REFUSE or DEGRADE: what happens to new keys beyond the capacity'',
  retain_hashes       BOOLEAN NOT NULL COMMENT ''whether the hashes of all keys are kept; they move from the journal to bloom_hash_block'',
  removable_percent   TINYINT UNSIGNED NULL COMMENT ''removed share of the capacity at which a filter with retained hashes is rebuilt; null: keys cannot be removed'',
  bucket_millis       BIGINT UNSIGNED NULL COMMENT ''windows only: length of a bucket'',
  window_buckets      SMALLINT UNSIGNED NULL COMMENT ''windows only: number of buckets for which a key is found; null: keys never expire'',
  window_renews       BOOLEAN NULL COMMENT ''windows only: whether adding a key again extends its lifetime'',
  lease_millis        INT UNSIGNED NOT NULL COMMENT ''how long a process may answer from memory without hearing from the database'',
  retention_seconds   INT UNSIGNED NOT NULL COMMENT ''how long folded journal rows are kept'',
  created_at          DATETIME(3) NOT NULL COMMENT ''UTC'',
  imported            BOOLEAN NOT NULL DEFAULT FALSE COMMENT ''whether its first keys were imported, and never were in its journal'',
  merged              BOOLEAN NOT NULL DEFAULT FALSE COMMENT ''whether another filter was ever merged into it'',
  expires_at          DATETIME(3) NULL COMMENT ''UTC; from then on the filter no longer exists for any client; null: never'',
  expiry_noticed_at   DATETIME(3) NULL COMMENT ''UTC; when a process first noticed the expiry; the filter can be restored for an hour from then on'',
  epoch               BIGINT UNSIGNED NOT NULL COMMENT ''1, plus 1 for each clear'',
  manifest_token      BIGINT NOT NULL COMMENT ''of the journal entry with this manifest; 0 if the filter was created with it and has one generation'',
  manifest            MEDIUMTEXT CHARACTER SET ascii COLLATE ascii_bin NOT NULL COMMENT ''all generations, as in the newest MANIFEST entry; bloom_generation_status shows it as rows'',
  bucket              BIGINT UNSIGNED NULL COMMENT ''windows only: number of the current bucket, which takes new keys; it begins at bucket * bucket_millis ms after 1970'',
  durable_ticks       BIGINT UNSIGNED NOT NULL DEFAULT 0 COMMENT ''changed to force a durable commit on servers where visible is not yet durable'',
  PRIMARY KEY (id),
  UNIQUE KEY (name)
) ENGINE = InnoDB ROW_FORMAT = DYNAMIC COMMENT = ''Slotbloom: one row per filter, and the lock that orders its writers''')
  FROM information_schema.collations WHERE collation_name IN ('utf8mb4_nopad_bin', 'utf8mb4_0900_bin'));
PREPARE slotbloom_ddl FROM @slotbloom_ddl;
EXECUTE slotbloom_ddl;
DEALLOCATE PREPARE slotbloom_ddl;

-- A row is inserted before its table is created, and deleted after the table is dropped.
CREATE TABLE IF NOT EXISTS bloom_table (
  filter_id  BIGINT UNSIGNED NOT NULL,
  generation INT UNSIGNED NOT NULL COMMENT 'whose bits the table holds, or will hold if it has not begun',
  token      BIGINT NOT NULL DEFAULT 0 COMMENT 'of the journal entry that began the generation; 0 if it has not begun, or the filter was created with it',
  made       BOOLEAN NOT NULL DEFAULT FALSE COMMENT 'whether the table exists; set after it is created, cleared when it is dropped',
  left_at    DATETIME(3) NULL COMMENT 'UTC; when a process noticed that the generation is no longer in use; its table is dropped a lease later',
  PRIMARY KEY (filter_id, generation)
) ENGINE = InnoDB COMMENT = 'Slotbloom: one row per slot table that may exist';

CREATE TABLE IF NOT EXISTS bloom_fold (
  filter_id   BIGINT UNSIGNED NOT NULL,
  folded_seq  BIGINT UNSIGNED NOT NULL COMMENT 'entries up to this one are in the slot tables',
  folded_at   DATETIME(3) NOT NULL COMMENT 'UTC',
  merge_token BIGINT NOT NULL DEFAULT 0 COMMENT 'random, of the transaction that last merged hashes of the journal into bloom_hash_block; 0 if none did',
  PRIMARY KEY (filter_id)
) ENGINE = InnoDB COMMENT = 'Slotbloom: how far the journal is folded into the slots; locked by the process that folds';

-- An add is one statement that inserts entries and moves the end of the journal. So the end is a row of the journal itself, number 0
-- of each filter.
CREATE TABLE IF NOT EXISTS bloom_journal (
  filter_id      BIGINT UNSIGNED NOT NULL,
  seq            BIGINT UNSIGNED NOT NULL COMMENT 'entries: from 1, without gaps, in the order of the commits; 0: the end of the journal, in one row',
  token          BIGINT NOT NULL COMMENT 'random; in row 0 that of the newest entry',
  previous_token BIGINT NOT NULL COMMENT 'of the entry before, so that lost or rewritten history shows; in row 0 a number that changes to stop a statement that may arrive late',
  kind           VARCHAR(20) CHARACTER SET ascii COLLATE ascii_bin NOT NULL COMMENT 'ADD: new keys; REMOVE: removed keys; RETURN, READD: removed keys that were added again, with their bits still set or set again; RENEW: keys of older buckets that live longer; SEEN: keys that were reported as seen, where hashes are retained; FILL: keys for the generation that will replace the others; MERGE: bits of another filter; MANIFEST: the generations from then on; END: row 0',
  payload        MEDIUMBLOB NOT NULL COMMENT 'of keys: 64-bit hashes, big-endian, at most 8192; MERGE: a generation and its bits; MANIFEST: as in bloom_filter',
  created_at     DATETIME(3) NOT NULL COMMENT 'UTC',
  last_seq       BIGINT UNSIGNED NULL COMMENT 'in row 0 only: newest entry',
  keys_added     BIGINT UNSIGNED NULL COMMENT 'in row 0 only: keys that were reported as new since the last clear',
  keys_removed   BIGINT UNSIGNED NULL COMMENT 'in row 0 of removable filters only: removed hashes whose bits are still set',
  keys_renewed   BIGINT UNSIGNED NULL COMMENT 'in row 0 of windows only: keys of older buckets that were added again, in all active buckets',
  PRIMARY KEY (filter_id, seq)
) ENGINE = InnoDB COMMENT = 'Slotbloom: the truth; the slot tables are its checkpoint';

CREATE TABLE IF NOT EXISTS bloom_replacement (
  filter_id       BIGINT UNSIGNED NOT NULL,
  generation      INT UNSIGNED NOT NULL COMMENT 'that is being filled',
  capacity        BIGINT UNSIGNED NOT NULL COMMENT 'of the filter in keys, after the replacement',
  keys_before     BIGINT UNSIGNED NOT NULL COMMENT 'keys that were added before it began, which the source must bring',
  owner           BIGINT NOT NULL COMMENT 'random, of the process that replays; a process that takes over writes its own',
  source          TEXT CHARACTER SET utf8mb4 NOT NULL COMMENT 'where the keys come from',
  phase           VARCHAR(20) CHARACTER SET ascii COLLATE ascii_bin NOT NULL COMMENT 'REPLAYING or VERIFYING',
  keys_read       BIGINT UNSIGNED NOT NULL COMMENT 'keys of the source that this phase has processed',
  begun_at        DATETIME(3) NOT NULL COMMENT 'UTC',
  updated_at      DATETIME(3) NOT NULL COMMENT 'UTC',
  PRIMARY KEY (filter_id)
) ENGINE = InnoDB COMMENT = 'Slotbloom: one row per filter that is being replaced by a larger one';

CREATE TABLE IF NOT EXISTS bloom_hash_block (
  filter_id  BIGINT UNSIGNED NOT NULL,
  begins     BIGINT UNSIGNED NOT NULL COMMENT 'journal entry that cleared the filter before the hashes were added, 0 if none did; blocks with another number are obsolete',
  first_hash BIGINT NOT NULL COMMENT 'the block covers the hashes from here to the next block, in signed order; the first one begins at the lowest number',
  hashes     MEDIUMBLOB NOT NULL COMMENT 'distinct 64-bit hashes in ascending order, big-endian, 1 to 8192',
  PRIMARY KEY (filter_id, begins, first_hash)
) ENGINE = InnoDB COMMENT = 'Slotbloom: hashes trimmed from the journals of filters that retain them';

-- Rescued keys are exempt from a block list: they were listed by mistake, or are false positives. They are few, so one table has them
-- for all filters, and block lists look there before they answer "blocked".
CREATE TABLE IF NOT EXISTS bloom_rescued (
  filter_id     BIGINT UNSIGNED NOT NULL,
  hash          BIGINT NOT NULL COMMENT '64-bit hash of the rescued key, as a signed number',
  reason        VARCHAR(500) CHARACTER SET utf8mb4 NOT NULL COMMENT 'why the key is not blocked',
  rescued_by    VARCHAR(255) CHARACTER SET utf8mb4 NOT NULL COMMENT 'who rescued it; by default the database account',
  rescued_at    DATETIME(3) NOT NULL COMMENT 'UTC',
  rescued_until DATETIME(3) NULL COMMENT 'UTC; from then on the key is blocked again; null: never',
  PRIMARY KEY (filter_id, hash)
) ENGINE = InnoDB COMMENT = 'Slotbloom: keys that block lists do not block';

-- Usage figures that processes report now and then. No answer depends on them: what a killed process had not reported yet is missing.
CREATE TABLE IF NOT EXISTS bloom_usage (
  filter_id       BIGINT UNSIGNED NOT NULL,
  epoch           BIGINT UNSIGNED NOT NULL COMMENT 'of the filter at the time of the report',
  day             DATE NOT NULL COMMENT 'UTC, of the report',
  negatives       BIGINT UNSIGNED NOT NULL COMMENT 'lookups answered no: the key was certainly not added',
  positives       BIGINT UNSIGNED NOT NULL COMMENT 'lookups answered yes, including false positives',
  new_keys        BIGINT UNSIGNED NOT NULL COMMENT 'adds answered new',
  seen_keys       BIGINT UNSIGNED NOT NULL COMMENT 'adds answered seen, including false positives',
  false_positives BIGINT UNSIGNED NOT NULL COMMENT 'false positives that callers reported',
  PRIMARY KEY (filter_id, epoch, day)
) ENGINE = InnoDB COMMENT = 'Slotbloom: how filters are used, one row per day';

-- Views for people, about each filter, generation and replacement. They read the catalog and single journal rows by primary key, but no
-- slot tables. They show only tables that the reader may read (INVOKER), and nothing can be changed through them (TEMPTABLE).

CREATE OR REPLACE ALGORITHM = TEMPTABLE SQL SECURITY INVOKER VIEW bloom_filter_status AS
SELECT
  f.id AS filter_id,
  f.name,
  IF(f.state = 'ACTIVE' AND f.expires_at <= UTC_TIMESTAMP(6), 'EXPIRED', f.state) AS state,
  f.key_type,
  f.hash,
  f.layout,
  f.on_full,
  f.capacity,
  e.keys_added,
  e.keys_removed,
  ROUND(100 * (e.keys_added + COALESCE(e.keys_renewed, 0) + IF(f.retain_hashes, COALESCE(e.keys_removed, 0), 0)) / f.capacity, 1) AS percent_used,
  f.false_positive_rate AS target_false_positive_rate,
  active.generations,
  active.bits,
  ROUND(active.bits / f.capacity, 1) AS bits_per_key,
  f.epoch,
  e.last_seq,
  newest.created_at AS last_entry_utc,
  d.folded_seq,
  CAST(e.last_seq AS SIGNED) - CAST(d.folded_seq AS SIGNED) AS backlog_entries,
  CASE WHEN e.last_seq <= d.folded_seq THEN 0
    ELSE GREATEST(0, ROUND(TIMESTAMPDIFF(MICROSECOND, unfolded.created_at, UTC_TIMESTAMP(3)) / 1000000, 1))
  END AS fold_lag_seconds,
  f.created_at AS created_utc,
  f.expires_at AS expires_utc,
  f.window_buckets * f.bucket_millis / 1000 AS window_seconds,
  f.window_buckets,
  IF(f.removable_percent IS NULL, NULL, CONVERT(CONCAT_WS('_', 'bloom_removed', f.id, NULLIF(f.label, '')) USING ascii)) AS removed_table,
  CAST(TIMESTAMPADD(MICROSECOND, f.bucket * f.bucket_millis * 1000, '1970-01-01') AS DATETIME(3)) AS bucket_begins_utc
FROM bloom_filter f
LEFT JOIN (
  SELECT
    m.id AS filter_id,
    COUNT(*) AS generations,
    CAST(SUM(g.bits) AS UNSIGNED) AS bits
  FROM bloom_filter m
  JOIN JSON_TABLE(
    IF(JSON_VALID(m.manifest), m.manifest, '{}'),
    '$.generations[*]' COLUMNS (state VARCHAR(20) PATH '$.state', bits BIGINT UNSIGNED PATH '$.bits')
  ) g
  WHERE g.state = 'ACTIVE'
  GROUP BY m.id
) active ON active.filter_id = f.id
LEFT JOIN bloom_journal e ON e.filter_id = f.id AND e.seq = 0
LEFT JOIN bloom_fold d ON d.filter_id = f.id
LEFT JOIN bloom_journal newest ON newest.filter_id = f.id AND newest.seq = e.last_seq AND newest.seq > 0
LEFT JOIN bloom_journal unfolded ON unfolded.filter_id = f.id AND unfolded.seq = d.folded_seq + 1;

-- The casts are for MariaDB, where a bare column of a JSON_TABLE in a view needs privileges on all schemas until MDEV-27898 is fixed.
CREATE OR REPLACE ALGORITHM = TEMPTABLE SQL SECURITY INVOKER VIEW bloom_generation_status AS
SELECT
  f.id AS filter_id,
  f.name,
  CAST(g.generation AS UNSIGNED) AS generation,
  CONVERT(g.state USING ascii) AS state,
  CASE
    WHEN g.state = 'ACTIVE' AND TIMESTAMPADD(MICROSECOND, (g.bucket + f.window_buckets + 1) * f.bucket_millis * 1000, '1970-01-01') <= UTC_TIMESTAMP(6)
      THEN 'expired'
    WHEN g.state = 'ACTIVE' AND g.cutover > 0
      THEN CONCAT('active since it replaced others with entry ', g.cutover)
    WHEN g.state = 'ACTIVE' AND g.since > 0 THEN CONCAT('active since entry ', g.since)
    WHEN g.state = 'ACTIVE' THEN 'active from the first entry on'
    WHEN g.state = 'FILLING' THEN CONCAT('being filled since entry ', g.since, ', to replace the active ones')
  END AS description,
  CAST(g.since AS UNSIGNED) AS since_entry,
  CAST(g.capacity AS UNSIGNED) AS capacity,
  CAST(g.rate AS DOUBLE) AS target_false_positive_rate,
  CAST(g.bits AS UNSIGNED) AS bits,
  CAST(g.hashes AS UNSIGNED) AS hashes,
  ROUND(g.bits / g.capacity, 1) AS bits_per_key,
  CONVERT(CONCAT_WS('_', 'bloom_bits', f.id, NULLIF(f.label, ''), CONCAT('v', g.generation)) USING ascii) AS slot_table,
  CAST(g.bucket AS UNSIGNED) AS bucket,
  CAST(TIMESTAMPADD(MICROSECOND, g.bucket * f.bucket_millis * 1000, '1970-01-01') AS DATETIME(3)) AS bucket_begins_utc,
  CAST(TIMESTAMPADD(MICROSECOND, (g.bucket + f.window_buckets + 1) * f.bucket_millis * 1000, '1970-01-01') AS DATETIME(3)) AS bucket_expires_utc,
  IF(g.place = counted.newest, CAST(e.keys_added AS SIGNED) - counted.keys_added, CAST(g.keys_added AS SIGNED)) AS keys_added,
  IF(g.place = counted.newest, CAST(e.keys_renewed AS SIGNED) - counted.keys_renewed, CAST(g.keys_renewed AS SIGNED)) AS keys_renewed
FROM bloom_filter f
JOIN JSON_TABLE(
  IF(JSON_VALID(f.manifest), f.manifest, '{}'),
  '$.generations[*]' COLUMNS (
    place FOR ORDINALITY,
    generation INT UNSIGNED PATH '$.generation',
    state VARCHAR(20) PATH '$.state',
    since BIGINT UNSIGNED PATH '$.since',
    cutover BIGINT UNSIGNED PATH '$.cutover',
    capacity BIGINT UNSIGNED PATH '$.capacity',
    rate DOUBLE PATH '$.rate',
    bits BIGINT UNSIGNED PATH '$.bits',
    hashes INT UNSIGNED PATH '$.hashes',
    bucket BIGINT UNSIGNED PATH '$.bucket',
    keys_added BIGINT UNSIGNED PATH '$.keys',
    keys_renewed BIGINT UNSIGNED PATH '$.renewed'
  )
) g
LEFT JOIN bloom_journal e ON e.filter_id = f.id AND e.seq = 0
LEFT JOIN (
  SELECT
    m.id AS filter_id,
    MAX(c.place) AS newest,
    CAST(COALESCE(SUM(c.keys_added), 0) AS SIGNED) AS keys_added,
    CAST(COALESCE(SUM(c.keys_renewed), 0) AS SIGNED) AS keys_renewed
  FROM bloom_filter m
  JOIN JSON_TABLE(
    IF(JSON_VALID(m.manifest), m.manifest, '{}'),
    '$.generations[*]' COLUMNS (
      place FOR ORDINALITY,
      keys_added BIGINT UNSIGNED PATH '$.keys',
      keys_renewed BIGINT UNSIGNED PATH '$.renewed'
    )
  ) c
  WHERE m.window_buckets IS NOT NULL
  GROUP BY m.id
) counted ON counted.filter_id = f.id;

-- The slot tables that no generation uses: one that was created ahead, and those that will be dropped soon.
CREATE OR REPLACE ALGORITHM = TEMPTABLE SQL SECURITY INVOKER VIEW bloom_unused_table AS
SELECT
  t.filter_id,
  f.name,
  t.generation,
  CONVERT(CONCAT_WS('_', 'bloom_bits', t.filter_id, NULLIF(f.label, ''), CONCAT('v', t.generation)) USING ascii) AS slot_table,
  CASE
    WHEN t.generation >= CAST(JSON_EXTRACT(IF(JSON_VALID(f.manifest), f.manifest, '{}'), '$.next') AS UNSIGNED) AND t.made THEN 'created ahead, holds no keys'
    WHEN t.generation >= CAST(JSON_EXTRACT(IF(JSON_VALID(f.manifest), f.manifest, '{}'), '$.next') AS UNSIGNED) THEN 'being created, holds no keys'
    WHEN t.made OR t.left_at IS NULL THEN 'replaced, aborted, cleared or expired; will be dropped soon'
    ELSE 'dropped'
  END AS description,
  t.left_at AS left_utc
FROM bloom_table t
JOIN bloom_filter f ON f.id = t.filter_id
WHERE JSON_VALID(f.manifest) AND LOCATE(CONCAT('{"generation":', t.generation, ','), f.manifest) = 0;

CREATE OR REPLACE ALGORITHM = TEMPTABLE SQL SECURITY INVOKER VIEW bloom_replacement_status AS
SELECT
  r.filter_id,
  f.name,
  r.generation,
  r.phase,
  r.keys_read,
  r.keys_before,
  LEAST(100, ROUND(100 * r.keys_read / GREATEST(1, r.keys_before), 1)) AS percent_of_phase,
  r.capacity,
  f.capacity AS capacity_before,
  TIMESTAMPDIFF(SECOND, r.begun_at, UTC_TIMESTAMP(3)) AS running_seconds,
  TIMESTAMPDIFF(SECOND, r.updated_at, UTC_TIMESTAMP(3)) AS silent_seconds,
  r.begun_at AS begun_utc,
  r.source
FROM bloom_replacement r
JOIN bloom_filter f ON f.id = r.filter_id;
