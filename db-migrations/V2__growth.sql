-- What growing needs. Each column is added unless it is there: DDL is not transactional, and neither server adds a column
-- only where it is missing in the same words.

SET @slotbloom_ddl = (SELECT IF(COUNT(*) > 0, 'DO 0',
    'ALTER TABLE bloom_filter ADD COLUMN generation_token BIGINT NOT NULL DEFAULT 0 COMMENT ''token of the journal entry that began the newest generation; 0 if there was never more than one''')
  FROM information_schema.columns WHERE table_schema = DATABASE() AND table_name = 'bloom_filter' AND column_name = 'generation_token');
PREPARE slotbloom_ddl FROM @slotbloom_ddl;
EXECUTE slotbloom_ddl;
DEALLOCATE PREPARE slotbloom_ddl;

SET @slotbloom_ddl = (SELECT IF(COUNT(*) > 0, 'DO 0',
    'ALTER TABLE bloom_generation ADD COLUMN since_seq BIGINT UNSIGNED NOT NULL DEFAULT 0 COMMENT ''journal entry that began it; keys of later entries go to it; 0 for the first''')
  FROM information_schema.columns WHERE table_schema = DATABASE() AND table_name = 'bloom_generation' AND column_name = 'since_seq');
PREPARE slotbloom_ddl FROM @slotbloom_ddl;
EXECUTE slotbloom_ddl;
DEALLOCATE PREPARE slotbloom_ddl;

SET @slotbloom_ddl = (SELECT IF(COUNT(*) > 0, 'DO 0',
    'ALTER TABLE bloom_generation ADD COLUMN since_token BIGINT NOT NULL DEFAULT 0 COMMENT ''token of that entry''')
  FROM information_schema.columns WHERE table_schema = DATABASE() AND table_name = 'bloom_generation' AND column_name = 'since_token');
PREPARE slotbloom_ddl FROM @slotbloom_ddl;
EXECUTE slotbloom_ddl;
DEALLOCATE PREPARE slotbloom_ddl;
