-- Slot tables are made without a history. Nothing reads the one that earlier versions kept of them.

SET @slotbloom_ddl = (SELECT IF(COUNT(*) = 0, 'DO 0', 'DROP TABLE bloom_slot_history')
  FROM information_schema.tables WHERE table_schema = DATABASE() AND table_name = 'bloom_slot_history');
PREPARE slotbloom_ddl FROM @slotbloom_ddl;
EXECUTE slotbloom_ddl;
DEALLOCATE PREPARE slotbloom_ddl;
