-- Filters of before get the row that holds the end of their journal, and a format that earlier versions refuse. The first statement
-- waits for their writers, and shuts them out for good; no writer of a later version comes before there is such a row.

UPDATE bloom_filter SET format_version = format_version + 4 WHERE format_version <= 4;
INSERT INTO bloom_journal (filter_id, seq, token, previous_token, kind, payload, created_at, last_seq, keys_added)
SELECT f.id, 0, f.last_token, 0, 'END', '', UTC_TIMESTAMP(3), f.last_seq, f.keys_added
FROM bloom_filter f
WHERE NOT EXISTS (SELECT 1 FROM bloom_journal e WHERE e.filter_id = f.id AND e.seq = 0);
