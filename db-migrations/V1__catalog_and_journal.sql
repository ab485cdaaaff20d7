-- The tables that every filter shares. Slot tables are made one by one when a filter is reserved or grows.
-- IF NOT EXISTS lets a run that was cut off be repeated: DDL is not transactional.

CREATE TABLE IF NOT EXISTS bloom_filter (
  id                  BIGINT UNSIGNED NOT NULL AUTO_INCREMENT COMMENT 'never used twice; part of the names of its tables',
  name                VARCHAR(200) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
  label               VARCHAR(24) CHARACTER SET ascii COLLATE ascii_bin NOT NULL COMMENT 'of the name that it was made with; part of the names of its tables',
  state               VARCHAR(20) CHARACTER SET ascii COLLATE ascii_bin NOT NULL COMMENT 'RESERVING, ACTIVE, CLEARING or DROPPING',
  format_version      INT UNSIGNED NOT NULL COMMENT 'of everything that is stored for this filter',
  key_type            VARCHAR(40) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  hash                VARCHAR(20) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  seed                BIGINT NOT NULL COMMENT 'of the hash function',
  layout              VARCHAR(20) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  write_mode          VARCHAR(20) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  growable            BOOLEAN NOT NULL,
  capacity            BIGINT UNSIGNED NOT NULL COMMENT 'keys',
  false_positive_rate DOUBLE NOT NULL COMMENT 'target of the whole filter at capacity',
  lease_millis        INT UNSIGNED NOT NULL COMMENT 'how long a process may answer from memory after it last heard of the others',
  retention_seconds   INT UNSIGNED NOT NULL COMMENT 'how long folded journal rows are kept',
  epoch               BIGINT UNSIGNED NOT NULL COMMENT 'rises with each clear',
  last_seq            BIGINT UNSIGNED NOT NULL COMMENT 'newest journal entry; whoever advances it holds this row until commit',
  last_token          BIGINT NOT NULL COMMENT 'token of that entry',
  keys_added          BIGINT UNSIGNED NOT NULL COMMENT 'keys that were answered new since the last clear',
  durable_ticks       BIGINT UNSIGNED NOT NULL DEFAULT 0 COMMENT 'changed to force a durable commit on servers where visible is not yet durable',
  created_at          DATETIME(3) NOT NULL COMMENT 'UTC',
  PRIMARY KEY (id),
  UNIQUE KEY (name)
) ENGINE = InnoDB ROW_FORMAT = DYNAMIC COMMENT = 'Slotbloom: one row a filter, and the lock that orders its writers';

-- A collation for which blanks at the end count. The servers have none in common.
SET @slotbloom_ddl = (SELECT CONCAT(
    'ALTER TABLE bloom_filter MODIFY COLUMN name VARCHAR(200) CHARACTER SET utf8mb4 COLLATE ', MAX(collation_name),
    ' NOT NULL COMMENT ''compared exactly: case, accents and blanks at the end count''')
  FROM information_schema.collations WHERE collation_name IN ('utf8mb4_nopad_bin', 'utf8mb4_0900_bin'));
PREPARE slotbloom_ddl FROM @slotbloom_ddl;
EXECUTE slotbloom_ddl;
DEALLOCATE PREPARE slotbloom_ddl;

CREATE TABLE IF NOT EXISTS bloom_generation (
  filter_id           BIGINT UNSIGNED NOT NULL,
  generation          INT UNSIGNED NOT NULL,
  state               VARCHAR(20) CHARACTER SET ascii COLLATE ascii_bin NOT NULL COMMENT 'CREATING or ACTIVE',
  capacity            BIGINT UNSIGNED NOT NULL COMMENT 'keys',
  false_positive_rate DOUBLE NOT NULL COMMENT 'that this generation was sized for',
  bits                BIGINT UNSIGNED NOT NULL COMMENT 'm',
  hashes              INT UNSIGNED NOT NULL COMMENT 'k',
  created_at          DATETIME(3) NOT NULL COMMENT 'UTC',
  PRIMARY KEY (filter_id, generation)
) ENGINE = InnoDB COMMENT = 'Slotbloom: one row a bit array';

CREATE TABLE IF NOT EXISTS bloom_fold (
  filter_id  BIGINT UNSIGNED NOT NULL,
  folded_seq BIGINT UNSIGNED NOT NULL COMMENT 'entries up to this one are in the slot tables',
  epoch      BIGINT UNSIGNED NOT NULL,
  folded_at  DATETIME(3) NOT NULL COMMENT 'UTC',
  PRIMARY KEY (filter_id)
) ENGINE = InnoDB COMMENT = 'Slotbloom: how far the journal is folded into the slots; locked by whoever folds';

CREATE TABLE IF NOT EXISTS bloom_journal (
  filter_id      BIGINT UNSIGNED NOT NULL,
  seq            BIGINT UNSIGNED NOT NULL COMMENT 'without gaps, in the order of the commits',
  token          BIGINT NOT NULL COMMENT 'random',
  previous_token BIGINT NOT NULL COMMENT 'of the entry before: lost or rewritten history shows',
  kind           VARCHAR(20) CHARACTER SET ascii COLLATE ascii_bin NOT NULL COMMENT 'ADD',
  payload        MEDIUMBLOB NOT NULL COMMENT 'ADD: 64-bit hashes of the new keys, big-endian, at most 8192',
  created_at     DATETIME(3) NOT NULL COMMENT 'UTC',
  PRIMARY KEY (filter_id, seq)
) ENGINE = InnoDB COMMENT = 'Slotbloom: the truth; the slot tables are its checkpoint';
