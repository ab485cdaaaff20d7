-- The tables that all filters share, and the views. The tables of single filters are made one by one.
-- IF NOT EXISTS and OR REPLACE let a run that was cut off be repeated: DDL is not transactional.

-- The name has a collation for which blanks at the end count. The servers have none in common, so the statement is put together.
SET @slotbloom_ddl = (SELECT CONCAT('CREATE TABLE IF NOT EXISTS bloom_filter (
  id                  BIGINT UNSIGNED NOT NULL AUTO_INCREMENT COMMENT ''never used twice; part of the names of its tables'',
  name                VARCHAR(200) CHARACTER SET utf8mb4 COLLATE ', MAX(collation_name), ' NOT NULL COMMENT ''compared exactly: case, accents and blanks at the end count'',
  label               VARCHAR(24) CHARACTER SET ascii COLLATE ascii_bin NOT NULL COMMENT ''of the name that it was made with; part of the names of its tables'',
  state               VARCHAR(20) CHARACTER SET ascii COLLATE ascii_bin NOT NULL COMMENT ''RESERVING, IMPORTING: not to be opened yet; ACTIVE; CLEARING, DROPPING: anyone may finish that'',
  format_version      INT UNSIGNED NOT NULL COMMENT ''of everything that is stored for this filter'',
  key_type            VARCHAR(40) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  hash                VARCHAR(20) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  seed                BIGINT NOT NULL COMMENT ''of the hash function'',
  layout              VARCHAR(20) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  capacity            BIGINT UNSIGNED NOT NULL COMMENT ''keys that the generations that answer are made for'',
  false_positive_rate DOUBLE NOT NULL COMMENT ''target of the whole filter at capacity'',
  growable            BOOLEAN NOT NULL,
  on_full             VARCHAR(20) CHARACTER SET ascii COLLATE ascii_bin NOT NULL COMMENT ''GROW, REFUSE or DEGRADE: what is done with new keys beyond the capacity'',
  retain_hashes       BOOLEAN NOT NULL COMMENT ''whether the hashes of all keys are kept, in bloom_hash_block once they leave the journal'',
  removable_percent   TINYINT UNSIGNED NULL COMMENT ''share of the capacity that is removed when a filter with retained hashes is built anew; null: keys cannot be removed'',
  bucket_millis       BIGINT UNSIGNED NULL COMMENT ''windows only: length of a bucket'',
  window_buckets      SMALLINT UNSIGNED NULL COMMENT ''windows only: a key is found for that many buckets; null: keys never expire'',
  window_renews       BOOLEAN NULL COMMENT ''windows only: whether adding a key again lets it live longer'',
  lease_millis        INT UNSIGNED NOT NULL COMMENT ''how long a process may answer from memory after it last heard of the others'',
  retention_seconds   INT UNSIGNED NOT NULL COMMENT ''how long folded journal rows are kept'',
  created_at          DATETIME(3) NOT NULL COMMENT ''UTC'',
  imported            BOOLEAN NOT NULL DEFAULT FALSE COMMENT ''whether its first keys came with an export, and never were in its journal'',
  merged              BOOLEAN NOT NULL DEFAULT FALSE COMMENT ''whether another filter was ever merged into it'',
  expires_at          DATETIME(3) NULL COMMENT ''UTC; from then on the filter is there for nobody; null: it never expires'',
  expiry_noticed_at   DATETIME(3) NULL COMMENT ''UTC; when somebody first found it expired; it can be brought back for an hour from then on'',
  epoch               BIGINT UNSIGNED NOT NULL COMMENT ''rises with each clear'',
  generation_token    BIGINT NOT NULL DEFAULT 0 COMMENT ''token of the journal entry, or of the clear, that last changed the generations; 0 if there was never more than one'',
  bucket              BIGINT UNSIGNED NULL COMMENT ''windows only: number of the bucket that takes new keys; it begins at bucket * bucket_millis ms after 1970'',
  durable_ticks       BIGINT UNSIGNED NOT NULL DEFAULT 0 COMMENT ''changed to force a durable commit on servers where visible is not yet durable'',
  PRIMARY KEY (id),
  UNIQUE KEY (name)
) ENGINE = InnoDB ROW_FORMAT = DYNAMIC COMMENT = ''Slotbloom: one row a filter, and the lock that orders its writers''')
  FROM information_schema.collations WHERE collation_name IN ('utf8mb4_nopad_bin', 'utf8mb4_0900_bin'));
PREPARE slotbloom_ddl FROM @slotbloom_ddl;
EXECUTE slotbloom_ddl;
DEALLOCATE PREPARE slotbloom_ddl;

CREATE TABLE IF NOT EXISTS bloom_generation (
  filter_id           BIGINT UNSIGNED NOT NULL,
  generation          INT UNSIGNED NOT NULL,
  state               VARCHAR(20) CHARACTER SET ascii COLLATE ascii_bin NOT NULL COMMENT 'CREATING: has a number; READY: has a table, and waits for the next bucket; ACTIVE: answers; FILLING: is to replace the active ones; RETIRED: was replaced, or its keys expired; ABORTED: was given up; DROPPED: was either, and its table is gone',
  capacity            BIGINT UNSIGNED NOT NULL COMMENT 'keys',
  false_positive_rate DOUBLE NOT NULL COMMENT 'that this generation was sized for',
  bits                BIGINT UNSIGNED NOT NULL COMMENT 'm',
  hashes              INT UNSIGNED NOT NULL COMMENT 'k',
  since_seq           BIGINT UNSIGNED NOT NULL DEFAULT 0 COMMENT 'journal entry that began it; keys of later entries go to it; 0 for the first',
  since_token         BIGINT NOT NULL DEFAULT 0 COMMENT 'token of that entry',
  state_token         BIGINT NOT NULL DEFAULT 0 COMMENT 'token of the journal entry, or of the clear, that gave the newest generation its state',
  cutover_seq         BIGINT UNSIGNED NOT NULL DEFAULT 0 COMMENT 'journal entry with which it replaced the generations before it; 0 if it did not',
  bucket              BIGINT UNSIGNED NULL COMMENT 'windows only: number of the last bucket in which the generation took keys',
  keys_added          BIGINT UNSIGNED NULL COMMENT 'windows only, in the last generation of a bucket that is over: keys that were added in the bucket',
  keys_renewed        BIGINT UNSIGNED NULL COMMENT 'as keys_added: keys of older buckets that were added again in the bucket',
  keys_removed        BIGINT UNSIGNED NULL COMMENT 'as keys_added, if keys can be removed: hashes that were removed in the bucket',
  created_at          DATETIME(3) NOT NULL COMMENT 'UTC',
  PRIMARY KEY (filter_id, generation)
) ENGINE = InnoDB COMMENT = 'Slotbloom: one row a bit array';

CREATE TABLE IF NOT EXISTS bloom_fold (
  filter_id   BIGINT UNSIGNED NOT NULL,
  folded_seq  BIGINT UNSIGNED NOT NULL COMMENT 'entries up to this one are in the slot tables',
  epoch       BIGINT UNSIGNED NOT NULL,
  folded_at   DATETIME(3) NOT NULL COMMENT 'UTC',
  merge_token BIGINT NOT NULL DEFAULT 0 COMMENT 'random, of the transaction that last merged hashes of the journal into bloom_hash_block; 0 if none did',
  PRIMARY KEY (filter_id)
) ENGINE = InnoDB COMMENT = 'Slotbloom: how far the journal is folded into the slots; locked by whoever folds';

-- An add is one statement: it inserts entries, and moves the end of the journal. So the end is a row of the journal itself, number 0 of
-- each filter.
CREATE TABLE IF NOT EXISTS bloom_journal (
  filter_id      BIGINT UNSIGNED NOT NULL,
  seq            BIGINT UNSIGNED NOT NULL COMMENT 'entries: from 1, without gaps, in the order of the commits; 0: the end of the journal, in one row',
  token          BIGINT NOT NULL COMMENT 'random; in row 0 that of the newest entry',
  previous_token BIGINT NOT NULL COMMENT 'of the entry before: lost or rewritten history shows; in row 0 a number that changes to stop a statement that may come late',
  kind           VARCHAR(20) CHARACTER SET ascii COLLATE ascii_bin NOT NULL COMMENT 'ADD: new keys; REMOVE: removed keys; RETURN, READD: removed keys that are new again, with their bits as they are or set anew; RENEW: keys of older buckets that live longer; SEEN: keys that were answered seen, where hashes are retained; FILL: keys for the generation that is to replace the others; MERGE: bits of another filter; GROW, REPLACE, CUTOVER, ABORT, ROTATE: what becomes of generations; END: row 0',
  payload        MEDIUMBLOB NOT NULL COMMENT 'of keys: 64-bit hashes, big-endian, at most 8192; MERGE: a generation and its bits; GROW, REPLACE, ROTATE: the generation that begins',
  created_at     DATETIME(3) NOT NULL COMMENT 'UTC',
  last_seq       BIGINT UNSIGNED NULL COMMENT 'in row 0 only: newest entry',
  keys_added     BIGINT UNSIGNED NULL COMMENT 'in row 0 only: keys that were answered new since the last clear',
  keys_removed   BIGINT UNSIGNED NULL COMMENT 'in row 0 of removable filters only: hashes that are removed and still have their bits',
  keys_renewed   BIGINT UNSIGNED NULL COMMENT 'in row 0 of windows only: keys of older buckets that were added again, in all buckets that count',
  PRIMARY KEY (filter_id, seq)
) ENGINE = InnoDB COMMENT = 'Slotbloom: the truth; the slot tables are its checkpoint';

CREATE TABLE IF NOT EXISTS bloom_replacement (
  filter_id       BIGINT UNSIGNED NOT NULL,
  generation      INT UNSIGNED NOT NULL COMMENT 'that is being filled',
  capacity        BIGINT UNSIGNED NOT NULL COMMENT 'keys, once it has replaced the others',
  keys_before     BIGINT UNSIGNED NOT NULL COMMENT 'keys that were added before it began, which the source has to bring',
  owner           BIGINT NOT NULL COMMENT 'random, of the process that replays; another one that takes over writes its own',
  source          TEXT CHARACTER SET utf8mb4 NOT NULL COMMENT 'where the keys come from',
  phase           VARCHAR(20) CHARACTER SET ascii COLLATE ascii_bin NOT NULL COMMENT 'REPLAYING or VERIFYING',
  keys_read       BIGINT UNSIGNED NOT NULL COMMENT 'keys of the source that this phase is through with',
  begun_at        DATETIME(3) NOT NULL COMMENT 'UTC',
  updated_at      DATETIME(3) NOT NULL COMMENT 'UTC',
  PRIMARY KEY (filter_id)
) ENGINE = InnoDB COMMENT = 'Slotbloom: one row a filter that is being replaced by a larger one';

CREATE TABLE IF NOT EXISTS bloom_hash_block (
  filter_id  BIGINT UNSIGNED NOT NULL,
  first_hash BIGINT NOT NULL COMMENT 'the block covers the hashes from here to the next block, in signed order; the first one begins at the lowest number',
  hashes     MEDIUMBLOB NOT NULL COMMENT 'distinct 64-bit hashes in ascending order, big-endian, 1 to 8192',
  PRIMARY KEY (filter_id, first_hash)
) ENGINE = InnoDB COMMENT = 'Slotbloom: hashes that trimming took out of the journals of filters that retain them';

-- A block list leaves out the keys that are rescued: listed by mistake, or taken for listed ones. They are few, so one table has those of
-- all filters, and block lists look there before they answer "blocked".
CREATE TABLE IF NOT EXISTS bloom_rescued (
  filter_id     BIGINT UNSIGNED NOT NULL,
  hash          BIGINT NOT NULL COMMENT '64-bit hash of the rescued key, as a signed number',
  reason        VARCHAR(500) CHARACTER SET utf8mb4 NOT NULL COMMENT 'why the key is not blocked',
  rescued_by    VARCHAR(255) CHARACTER SET utf8mb4 NOT NULL COMMENT 'who rescued it; if nobody said so, the account of the database',
  rescued_at    DATETIME(3) NOT NULL COMMENT 'UTC',
  rescued_until DATETIME(3) NULL COMMENT 'UTC; from then on the key is blocked again; null: for ever',
  PRIMARY KEY (filter_id, hash)
) ENGINE = InnoDB COMMENT = 'Slotbloom: keys that block lists do not block';

-- What processes tell now and then of how they use a filter. No answer depends on it: what a process that is killed had not told
-- yet is missing here.
CREATE TABLE IF NOT EXISTS bloom_usage (
  filter_id       BIGINT UNSIGNED NOT NULL,
  epoch           BIGINT UNSIGNED NOT NULL COMMENT 'of the filter when it was told; rises with each clear',
  day             DATE NOT NULL COMMENT 'UTC, when it was told',
  negatives       BIGINT UNSIGNED NOT NULL COMMENT 'questions that were answered: certainly not there',
  positives       BIGINT UNSIGNED NOT NULL COMMENT 'questions that were answered: there, but for the false positive rate',
  new_keys        BIGINT UNSIGNED NOT NULL COMMENT 'adds that were answered: new',
  seen_keys       BIGINT UNSIGNED NOT NULL COMMENT 'adds that were answered: seen, but for the false positive rate',
  false_positives BIGINT UNSIGNED NOT NULL COMMENT 'keys that were taken for members, and that callers reported not to be',
  PRIMARY KEY (filter_id, epoch, day)
) ENGINE = InnoDB COMMENT = 'Slotbloom: how filters are used, one row a day';

-- Views for people: what the tables say of each filter, generation and replacement. They read the catalog, and of the journal single
-- rows by primary key; what has to read slot tables is left to queries. Who may not read a table may not read it through these
-- (INVOKER), and nothing can be changed through them (TEMPTABLE).

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

CREATE OR REPLACE ALGORITHM = TEMPTABLE SQL SECURITY INVOKER VIEW bloom_replacement_status AS
SELECT
  r.filter_id,
  f.name,
  r.generation,
  r.phase,
  r.keys_read,
  r.keys_before AS keys_expected,
  LEAST(100, ROUND(100 * r.keys_read / GREATEST(1, r.keys_before), 1)) AS percent_of_phase,
  r.capacity,
  f.capacity AS capacity_before,
  TIMESTAMPDIFF(SECOND, r.begun_at, UTC_TIMESTAMP(3)) AS running_seconds,
  TIMESTAMPDIFF(SECOND, r.updated_at, UTC_TIMESTAMP(3)) AS silent_seconds,
  r.begun_at AS begun_utc,
  r.source
FROM bloom_replacement r
JOIN bloom_filter f ON f.id = r.filter_id;
