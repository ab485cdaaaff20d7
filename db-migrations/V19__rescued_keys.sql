-- A block list leaves out the keys that are rescued: listed by mistake, or taken for listed ones. They are few, so one table has those of
-- all filters. Each change has an entry in the journal as well, by which the processes follow.

CREATE TABLE IF NOT EXISTS bloom_rescued (
  filter_id     BIGINT UNSIGNED NOT NULL,
  hash          BIGINT NOT NULL COMMENT '64-bit hash of the rescued key, as a signed number',
  reason        VARCHAR(500) CHARACTER SET utf8mb4 NOT NULL COMMENT 'why the key is not blocked',
  rescued_by    VARCHAR(255) CHARACTER SET utf8mb4 NOT NULL COMMENT 'who rescued it; if nobody said so, the account of the database',
  rescued_at    DATETIME(3) NOT NULL COMMENT 'UTC',
  rescued_until DATETIME(3) NULL COMMENT 'UTC; from then on the key is blocked again; null: for ever',
  PRIMARY KEY (filter_id, hash)
) ENGINE = InnoDB COMMENT = 'Slotbloom: keys that block lists do not block';

ALTER TABLE bloom_journal MODIFY COLUMN kind VARCHAR(20) CHARACTER SET ascii COLLATE ascii_bin NOT NULL
  COMMENT 'ADD: new keys; REMOVE: removed keys; RETURN, READD: removed keys that are new again, with their bits as they are or set anew; RENEW: keys of older buckets that live longer; SEEN: keys that were answered seen, where hashes are retained; FILL: keys for the generation that is to replace the others; MERGE: bits of another filter; RESCUE, UNRESCUE: keys that block lists leave out, or no longer; GROW, REPLACE, CUTOVER, ABORT, ROTATE: what becomes of generations; END: row 0';
