-- What a filter does with keys beyond its capacity. Filters from before go on as they did. The column is added unless it is
-- there, as in V2.

SET @slotbloom_ddl = (SELECT IF(COUNT(*) > 0, 'DO 0',
    'ALTER TABLE bloom_filter ADD COLUMN on_full VARCHAR(20) CHARACTER SET ascii COLLATE ascii_bin NOT NULL DEFAULT ''DEGRADE'' COMMENT ''GROW, REFUSE or DEGRADE: what is done with new keys beyond the capacity''')
  FROM information_schema.columns WHERE table_schema = DATABASE() AND table_name = 'bloom_filter' AND column_name = 'on_full');
PREPARE slotbloom_ddl FROM @slotbloom_ddl;
EXECUTE slotbloom_ddl;
DEALLOCATE PREPARE slotbloom_ddl;
