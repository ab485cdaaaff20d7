-- What replacing the generations of a filter by a larger one needs. Each column is added unless it is there, as in V2.

SET @slotbloom_ddl = (SELECT IF(COUNT(*) > 0, 'DO 0',
    'ALTER TABLE bloom_generation ADD COLUMN state_token BIGINT NOT NULL DEFAULT 0 COMMENT ''token of the journal entry, or of the clear, that gave the newest generation its state''')
  FROM information_schema.columns WHERE table_schema = DATABASE() AND table_name = 'bloom_generation' AND column_name = 'state_token');
PREPARE slotbloom_ddl FROM @slotbloom_ddl;
EXECUTE slotbloom_ddl;
DEALLOCATE PREPARE slotbloom_ddl;

SET @slotbloom_ddl = (SELECT IF(COUNT(*) > 0, 'DO 0',
    'ALTER TABLE bloom_generation ADD COLUMN cutover_seq BIGINT UNSIGNED NOT NULL DEFAULT 0 COMMENT ''journal entry with which it replaced the generations before it; 0 if it did not''')
  FROM information_schema.columns WHERE table_schema = DATABASE() AND table_name = 'bloom_generation' AND column_name = 'cutover_seq');
PREPARE slotbloom_ddl FROM @slotbloom_ddl;
EXECUTE slotbloom_ddl;
DEALLOCATE PREPARE slotbloom_ddl;

UPDATE bloom_generation SET state_token = since_token WHERE state_token = 0;

ALTER TABLE bloom_generation MODIFY COLUMN state VARCHAR(20) CHARACTER SET ascii COLLATE ascii_bin NOT NULL
  COMMENT 'CREATING: has a number; ACTIVE: answers; FILLING: is to replace the active ones; RETIRED: was replaced; ABORTED: was given up; DROPPED: was either, and its table is gone';
ALTER TABLE bloom_journal MODIFY COLUMN kind VARCHAR(20) CHARACTER SET ascii COLLATE ascii_bin NOT NULL
  COMMENT 'ADD: new keys; FILL: keys for the generation that is to replace the others; GROW, REPLACE, CUTOVER, ABORT: what becomes of generations';
ALTER TABLE bloom_journal MODIFY COLUMN payload MEDIUMBLOB NOT NULL
  COMMENT 'ADD, FILL: 64-bit hashes of keys, big-endian, at most 8192; GROW, REPLACE: the generation that begins';

CREATE TABLE IF NOT EXISTS bloom_replacement (
  filter_id       BIGINT UNSIGNED NOT NULL,
  generation      INT UNSIGNED NOT NULL COMMENT 'that is being filled',
  capacity        BIGINT UNSIGNED NOT NULL COMMENT 'keys, once it has replaced the others',
  capacity_before BIGINT UNSIGNED NOT NULL COMMENT 'keys, as it is again if it is given up',
  keys_before     BIGINT UNSIGNED NOT NULL COMMENT 'keys that were added before it began, which the source has to bring',
  owner           BIGINT NOT NULL COMMENT 'random, of the process that replays; another one that takes over writes its own',
  source          TEXT CHARACTER SET utf8mb4 NOT NULL COMMENT 'where the keys come from',
  phase           VARCHAR(20) CHARACTER SET ascii COLLATE ascii_bin NOT NULL COMMENT 'REPLAYING or VERIFYING',
  keys_read       BIGINT UNSIGNED NOT NULL COMMENT 'keys of the source that this phase is through with',
  begun_at        DATETIME(3) NOT NULL COMMENT 'UTC',
  updated_at      DATETIME(3) NOT NULL COMMENT 'UTC',
  PRIMARY KEY (filter_id)
) ENGINE = InnoDB COMMENT = 'Slotbloom: one row a filter that is being replaced by a larger one';
