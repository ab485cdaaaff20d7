package io.github.slotbloom.internal.sql;

import io.github.slotbloom.internal.store.filter.FilterRecord;
import io.github.slotbloom.internal.store.filter.RemovalRecord;
import io.github.slotbloom.internal.store.slots.RemovedRows;

/**
 * Makes answers of the bits that a {@link MembershipFunction} finds. If keys cannot be removed,
 * finding them all is the answer. Otherwise the newest entry that removed the key, or brought it
 * back, decides: one that is not folded, or else the row of the key among the removed hashes.
 */
class AnswerSql {

  private final String kindsOfNewKeys;

  /**
   * @param kindsOfNewKeys the kinds of entries with new keys, as literals
   */
  private AnswerSql(String kindsOfNewKeys) {
    this.kindsOfNewKeys = kindsOfNewKeys;
  }

  static AnswerSql of(FilterRecord filter) {
    RemovalRecord removal = filter.removal();
    return removal == null
        ? new AnswerSql(filter.window() == null ? "'ADD'" : "'ADD', 'RENEW'")
        : new Removable(removal.table(), filter.manifest().removedAfter());
  }

  /** Returns the declarations of variables that only this kind of answer needs. */
  String declarations() {
    return "";
  }

  /** Returns the statements for the moment at which all bits of the key are found. */
  String bitsFound() {
    return "RETURN TRUE;";
  }

  /** Returns statements that look for bits, to be run as long as not all of them are found. */
  String lookForBits(String statements) {
    return statements;
  }

  /** Returns a condition: true for an entry with hashes of which each is looked at. */
  String hasHashes() {
    return "entry_kind IN (" + kindsOfNewKeys + ", 'FILL')";
  }

  /** Returns a condition: true for an entry whose keys are new. */
  final String hasNewKeys() {
    return "entry_kind IN (" + kindsOfNewKeys + ")";
  }

  /** Returns the statements for each hash of an entry, before bits are looked for. */
  String takeHash() {
    return "";
  }

  /**
   * Returns the statements that answer in the end.
   *
   * @param requireUnchanged raises an error if the filter is not as it was at the beginning
   */
  String answer(String requireUnchanged) {
    return requireUnchanged + "RETURN FALSE;\n";
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
      super("'ADD', 'READD', 'RENEW'");
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
