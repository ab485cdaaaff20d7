-- What shows after a failover that hashes which left the journal are in blocks. The column is added unless it is there, as in V2.

SET @slotbloom_ddl = (SELECT IF(COUNT(*) > 0, 'DO 0',
    'ALTER TABLE bloom_fold ADD COLUMN merge_token BIGINT NOT NULL DEFAULT 0 COMMENT ''random, of the transaction that last merged hashes of the journal into bloom_hash_block; 0 if none did''')
  FROM information_schema.columns WHERE table_schema = DATABASE() AND table_name = 'bloom_fold' AND column_name = 'merge_token');
PREPARE slotbloom_ddl FROM @slotbloom_ddl;
EXECUTE slotbloom_ddl;
DEALLOCATE PREPARE slotbloom_ddl;
