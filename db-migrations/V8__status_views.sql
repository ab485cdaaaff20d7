-- Views for people: what the tables say of each filter, generation and replacement. They read the catalog, and of the journal single
-- rows by primary key; what has to read slot tables is left to queries. Who may not read a table may not read it through these
-- (INVOKER), and nothing can be changed through them (TEMPTABLE).

CREATE OR REPLACE ALGORITHM = TEMPTABLE SQL SECURITY INVOKER VIEW bloom_filter_status AS
SELECT
  f.id AS filter_id,
  f.name,
  f.state,
  f.key_type,
  f.hash,
  f.layout,
  f.write_mode,
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

CREATE OR REPLACE ALGORITHM = TEMPTABLE SQL SECURITY INVOKER VIEW bloom_generation_status AS
SELECT
  g.filter_id,
  f.name,
  g.generation,
  g.state,
  CASE
    WHEN g.state = 'CREATING' THEN 'is being made, and holds no key'
    WHEN g.state = 'ACTIVE' AND g.cutover_seq > 0
      THEN CONCAT('answers, since it replaced others with entry ', g.cutover_seq)
    WHEN g.state = 'ACTIVE' AND g.since_seq > 0 THEN CONCAT('answers, since entry ', g.since_seq)
    WHEN g.state = 'ACTIVE' THEN 'answers, from the first entry on'
    WHEN g.state = 'FILLING'
      THEN CONCAT('is being filled since entry ', g.since_seq, ', to replace those that answer')
    WHEN g.state = 'RETIRED' THEN 'was replaced, and its table is soon dropped'
    WHEN g.state = 'ABORTED' THEN 'was given up, and its table is soon dropped'
    WHEN g.state = 'DROPPED' THEN 'was replaced or given up, and its table is gone'
  END AS in_words,
  g.since_seq AS since_entry,
  g.capacity,
  g.false_positive_rate AS target_false_positive_rate,
  g.bits,
  g.hashes AS bits_set_by_a_key,
  ROUND(g.bits / g.capacity, 1) AS bits_per_key,
  CONVERT(CONCAT_WS('_', 'bloom_bits', g.filter_id, NULLIF(f.label, ''), CONCAT('v', g.generation)) USING ascii) AS slot_table,
  g.created_at AS created_utc
FROM bloom_generation g
JOIN bloom_filter f ON f.id = g.filter_id;

CREATE OR REPLACE ALGORITHM = TEMPTABLE SQL SECURITY INVOKER VIEW bloom_replacement_status AS
SELECT
  r.filter_id,
  f.name,
  r.generation,
  r.phase,
  r.keys_read,
  r.keys_before AS keys_expected,
  LEAST(100, ROUND(100 * r.keys_read / GREATEST(1, r.keys_before), 1)) AS percent_of_phase,
  r.capacity,
  r.capacity_before,
  TIMESTAMPDIFF(SECOND, r.begun_at, UTC_TIMESTAMP(3)) AS running_seconds,
  TIMESTAMPDIFF(SECOND, r.updated_at, UTC_TIMESTAMP(3)) AS silent_seconds,
  r.begun_at AS begun_utc,
  r.source
FROM bloom_replacement r
JOIN bloom_filter f ON f.id = r.filter_id;

-- Comments that were behind.
ALTER TABLE bloom_filter MODIFY COLUMN state VARCHAR(20) CHARACTER SET ascii COLLATE ascii_bin NOT NULL
  COMMENT 'RESERVING, IMPORTING: not to be opened yet; ACTIVE; CLEARING, DROPPING: anyone may finish that';
ALTER TABLE bloom_journal MODIFY COLUMN kind VARCHAR(20) CHARACTER SET ascii COLLATE ascii_bin NOT NULL
  COMMENT 'ADD: new keys; SEEN: keys that were answered seen, where hashes are retained; FILL: keys for the generation that is to replace the others; MERGE: bits of another filter; GROW, REPLACE, CUTOVER, ABORT: what becomes of generations';
ALTER TABLE bloom_journal MODIFY COLUMN payload MEDIUMBLOB NOT NULL
  COMMENT 'ADD, SEEN, FILL: 64-bit hashes of keys, big-endian, at most 8192; MERGE: a generation and its bits; GROW, REPLACE: the generation that begins';
