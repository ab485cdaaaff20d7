-- What tells a filter that was imported from one whose keys have all been in its journal. The column is added unless it is there,
-- as in V2.

SET @slotbloom_ddl = (SELECT IF(COUNT(*) > 0, 'DO 0',
    'ALTER TABLE bloom_filter ADD COLUMN imported BOOLEAN NOT NULL DEFAULT FALSE COMMENT ''whether its first keys came with an export, and never were in its journal''')
  FROM information_schema.columns WHERE table_schema = DATABASE() AND table_name = 'bloom_filter' AND column_name = 'imported');
PREPARE slotbloom_ddl FROM @slotbloom_ddl;
EXECUTE slotbloom_ddl;
DEALLOCATE PREPARE slotbloom_ddl;
