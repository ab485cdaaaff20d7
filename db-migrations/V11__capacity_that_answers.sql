-- Until a replacement has taken place the generations from before answer, so the capacity of the filter is theirs. Earlier versions set
-- it to that of the generation which was still being filled.

UPDATE bloom_filter f JOIN bloom_replacement r ON r.filter_id = f.id SET f.capacity = r.capacity_before;
ALTER TABLE bloom_filter MODIFY COLUMN capacity BIGINT UNSIGNED NOT NULL COMMENT 'keys that the generations that answer are made for';
ALTER TABLE bloom_replacement MODIFY COLUMN capacity_before BIGINT UNSIGNED NOT NULL COMMENT 'keys that the generations that answer meanwhile are made for';
