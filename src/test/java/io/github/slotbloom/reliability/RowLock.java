package io.github.slotbloom.reliability;

import io.github.slotbloom.testing.Sql;
import java.sql.SQLException;
import java.util.Set;

/** The lock of a row of a filter. */
enum RowLock {
  /** What adds take. */
  HEAD("SELECT epoch FROM bloom_filter WHERE id = ? FOR UPDATE NOWAIT"),
  /** What who folds takes. */
  FOLD("SELECT folded_seq FROM bloom_fold WHERE filter_id = ? FOR UPDATE NOWAIT");

  /** What MySQL and MariaDB say rather than wait. */
  private static final Set<Integer> HELD_BY_ANOTHER = Set.of(3572, 1205);

  private final String take;

  RowLock(String take) {
    this.take = take;
  }

  /** Whether somebody holds it. Does not wait for it, and does not keep it. */
  boolean isHeld(Sql sql, String filter) throws SQLException {
    long id = sql.number("SELECT id FROM bloom_filter WHERE name = ?", filter);
    try {
      sql.rows(take, id);
      return false;
    } catch (SQLException e) {
      if (HELD_BY_ANOTHER.contains(e.getErrorCode())) {
        return true;
      }
      throw e;
    }
  }
}
