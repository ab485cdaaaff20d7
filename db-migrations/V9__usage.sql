-- What processes tell now and then of how they use a filter. No answer depends on it: what a process that is killed had not told
-- yet is missing here.

CREATE TABLE IF NOT EXISTS bloom_usage (
  filter_id       BIGINT UNSIGNED NOT NULL,
  epoch           BIGINT UNSIGNED NOT NULL COMMENT 'of the filter when it was told; rises with each clear',
  day             DATE NOT NULL COMMENT 'UTC, when it was told',
  negatives       BIGINT UNSIGNED NOT NULL COMMENT 'questions that were answered: certainly not there',
  positives       BIGINT UNSIGNED NOT NULL COMMENT 'questions that were answered: there, but for the false positive rate',
  new_keys        BIGINT UNSIGNED NOT NULL COMMENT 'adds that were answered: new',
  seen_keys       BIGINT UNSIGNED NOT NULL COMMENT 'adds that were answered: seen, but for the false positive rate',
  false_positives BIGINT UNSIGNED NOT NULL COMMENT 'keys that were taken for members, and that callers reported not to be',
  PRIMARY KEY (filter_id, epoch, day)
) ENGINE = InnoDB COMMENT = 'Slotbloom: how filters are used, one row a day';
