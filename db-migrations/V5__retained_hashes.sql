-- What filters need that keep the hashes of all their keys. The column is added unless it is there, as in V2.

CREATE TABLE IF NOT EXISTS bloom_hash_block (
  filter_id  BIGINT UNSIGNED NOT NULL,
  first_hash BIGINT NOT NULL COMMENT 'the block covers the hashes from here to the next block, in signed order; the first one begins at the lowest number',
  hashes     MEDIUMBLOB NOT NULL COMMENT 'distinct 64-bit hashes in ascending order, big-endian, 1 to 8192',
  PRIMARY KEY (filter_id, first_hash)
) ENGINE = InnoDB COMMENT = 'Slotbloom: hashes that trimming took out of the journals of filters that retain them';

SET @slotbloom_ddl = (SELECT IF(COUNT(*) > 0, 'DO 0',
    'ALTER TABLE bloom_filter ADD COLUMN retain_hashes BOOLEAN NOT NULL DEFAULT FALSE COMMENT ''whether the hashes of all keys are kept, in bloom_hash_block once they leave the journal''')
  FROM information_schema.columns WHERE table_schema = DATABASE() AND table_name = 'bloom_filter' AND column_name = 'retain_hashes');
PREPARE slotbloom_ddl FROM @slotbloom_ddl;
EXECUTE slotbloom_ddl;
DEALLOCATE PREPARE slotbloom_ddl;
