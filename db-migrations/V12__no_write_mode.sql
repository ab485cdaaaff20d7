-- An add appends to the journal, and folding writes the slots. Earlier versions had a mode, WRITE_THROUGH, in which an add wrote the
-- slots as well. It changed nothing about what the journal and the slots hold, so such filters go on as the others. The column stays for
-- processes of earlier versions, and since V8 needs it whenever all of this is run again; the view does without it.

UPDATE bloom_filter SET write_mode = 'DEFERRED' WHERE write_mode <> 'DEFERRED';
ALTER TABLE bloom_filter MODIFY COLUMN write_mode VARCHAR(20) CHARACTER SET ascii COLLATE ascii_bin NOT NULL
  COMMENT 'always DEFERRED; only earlier versions read it';

CREATE OR REPLACE ALGORITHM = TEMPTABLE SQL SECURITY INVOKER VIEW bloom_filter_status AS
SELECT
  f.id AS filter_id,
  f.name,
  f.state,
  f.key_type,
  f.hash,
  f.layout,
  f.on_full AS when_full,
  f.capacity,
  f.keys_added,
  ROUND(100 * f.keys_added / f.capacity, 1) AS percent_full,
  f.false_positive_rate AS target_false_positive_rate,
  answering.generations,
  answering.bits,
  ROUND(answering.bits / f.capacity, 1) AS bits_per_key,
  f.epoch,
  f.last_seq AS last_entry,
  newest.created_at AS last_entry_utc,
  d.folded_seq AS folded_entry,
  CAST(f.last_seq AS SIGNED) - CAST(d.folded_seq AS SIGNED) AS backlog_entries,
  CASE WHEN f.last_seq <= d.folded_seq THEN 0
    ELSE GREATEST(0, ROUND(TIMESTAMPDIFF(MICROSECOND, unfolded.created_at, UTC_TIMESTAMP(3)) / 1000000, 1))
  END AS lag_seconds,
  f.created_at AS created_utc
FROM bloom_filter f
LEFT JOIN (
  SELECT
    filter_id,
    COUNT(*) AS generations,
    CAST(SUM(bits) AS UNSIGNED) AS bits
  FROM bloom_generation
  WHERE state = 'ACTIVE'
  GROUP BY filter_id
) answering ON answering.filter_id = f.id
LEFT JOIN bloom_fold d ON d.filter_id = f.id
LEFT JOIN bloom_journal newest ON newest.filter_id = f.id AND newest.seq = f.last_seq
LEFT JOIN bloom_journal unfolded ON unfolded.filter_id = f.id AND unfolded.seq = d.folded_seq + 1;
