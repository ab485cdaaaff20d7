package io.github.slotbloom.internal.sql;

import io.github.slotbloom.internal.store.RemovedRows;
import io.github.slotbloom.internal.store.filter.FilterRecord;
import io.github.slotbloom.internal.store.filter.RemovalRecord;

/**
 * Makes answers of the bits that a {@link MembershipFunction} finds. If keys cannot be removed,
 * finding them all is the answer. Otherwise the newest entry that removed the key, or brought it
 * back, decides: one that is not folded, or else the row of the key among the removed hashes.
 */
abstract sealed class AnswerSql {

  static AnswerSql of(FilterRecord filter) {
    RemovalRecord removal = filter.removal();
    return removal == null
        ? new Lasting(filter.window() == null ? "'ADD'" : "'ADD', 'RENEW'")
        : new Removable(removal.table(), filter.set().removedAfter());
  }

  /** Returns the declarations of variables that only this kind of answer needs. */
  abstract String declarations();

  /** Returns the statements for the moment at which all bits of the key are found. */
  abstract String bitsFound();

  /** Returns statements that look for bits, to be run as long as not all of them are found. */
  abstract String lookForBits(String statements);

  /** Returns a condition: true for an entry with hashes of which each is looked at. */
  abstract String hasHashes();

  /** Returns a condition: true for an entry whose keys are new. */
  abstract String hasNewKeys();

  /** Returns the statements for each hash of an entry, before bits are looked for. */
  abstract String takeHash();

  /**
   * Returns the statements that answer in the end.
   *
   * @param requireUnchanged raises an error if the filter is not as it was at the beginning
   */
  abstract String answer(String requireUnchanged);

  private static final class Lasting extends AnswerSql {
    private final String kindsThatSetBits;

    /**
     * @param kindsThatSetBits the kinds of entries with new keys, as literals
     */
    Lasting(String kindsThatSetBits) {
      this.kindsThatSetBits = kindsThatSetBits;
    }

    @Override
    String declarations() {
      return "";
    }

    @Override
    String bitsFound() {
      return "RETURN TRUE;";
    }

    @Override
    String lookForBits(String statements) {
      return statements;
    }

    @Override
    String hasHashes() {
      return "entry_kind IN (" + kindsThatSetBits + ", 'FILL')";
    }

    @Override
    String hasNewKeys() {
      return "entry_kind IN (" + kindsThatSetBits + ")";
    }

    @Override
    String takeHash() {
      return "";
    }

    @Override
    String answer(String requireUnchanged) {
      return requireUnchanged + "RETURN FALSE;\n";
    }
  }

  /**
   * The rows are read after the entries that were not folded at the beginning, so a removal that is
   * folded meanwhile is not missed. A row is recognized as older than an entry by its number.
   */
  private static final class Removable extends AnswerSql {
    private final String table;
    private final long since;

    /**
     * @param since see {@link RemovedRows}
     */
    Removable(String table, long since) {
      this.table = table;
      this.since = since;
    }

    @Override
    String declarations() {
      return """
          DECLARE has_bits, removed BOOLEAN DEFAULT FALSE;
          DECLARE decided_by BIGINT UNSIGNED DEFAULT %s;
          DECLARE signed_hash BIGINT;
          """
          .formatted(since);
    }

    @Override
    String bitsFound() {
      return "SET has_bits = TRUE;";
    }

    @Override
    String lookForBits(String statements) {
      return "IF NOT has_bits THEN\n" + statements.indent(2) + "END IF;\n";
    }

    @Override
    String hasHashes() {
      return "entry_kind IN ('REMOVE', 'RETURN', 'READD')"
          + " OR NOT has_bits AND entry_kind IN ('ADD', 'RENEW', 'FILL')";
    }

    @Override
    String hasNewKeys() {
      return "entry_kind IN ('ADD', 'READD', 'RENEW')";
    }

    @Override
    String takeHash() {
      return """
          IF other_hash = key_hash AND entry > decided_by
              AND entry_kind IN ('REMOVE', 'RETURN', 'READD') THEN
            SET decided_by = entry, removed = entry_kind = 'REMOVE';
          END IF;
          """;
    }

    @Override
    String answer(String requireUnchanged) {
      return """
          SET signed_hash = key_hash - IF(key_hash >> 63, two64, 0);
          IF has_bits AND NOT removed THEN
            SET removed = EXISTS (SELECT 1 FROM `%s` r WHERE r.hash = signed_hash AND r.seq > decided_by);
          END IF;
          """
              .formatted(table)
          + requireUnchanged
          + "RETURN has_bits AND NOT removed;\n";
    }
  }
}
