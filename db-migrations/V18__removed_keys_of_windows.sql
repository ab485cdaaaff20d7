-- Keys can be removed from a window. What was removed in a bucket is counted with the bucket, and forgotten with it. The column is added
-- unless it is there, as in V2.

SET @slotbloom_ddl = (SELECT IF(COUNT(*) > 0, 'DO 0',
    'ALTER TABLE bloom_generation ADD COLUMN keys_removed BIGINT UNSIGNED NULL COMMENT ''as keys_added, if keys can be removed: hashes that were removed in the bucket''')
  FROM information_schema.columns WHERE table_schema = DATABASE() AND table_name = 'bloom_generation' AND column_name = 'keys_removed');
PREPARE slotbloom_ddl FROM @slotbloom_ddl;
EXECUTE slotbloom_ddl;
DEALLOCATE PREPARE slotbloom_ddl;
