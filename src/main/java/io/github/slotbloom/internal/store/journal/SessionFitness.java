package io.github.slotbloom.internal.store.journal;

import static org.jooq.impl.DSL.name;

import io.github.slotbloom.internal.store.Database;
import io.github.slotbloom.internal.store.Tx;
import org.jooq.Field;
import org.jooq.Record;
import org.jooq.impl.DSL;
import org.jooq.impl.SQLDataType;

/**
 * Checks, in the same statement as a read, that the settings of the session make the read reliable.
 */
final class SessionFitness {

  /** The name of {@link #field}. */
  static final Field<Boolean> FIT = DSL.field(name("session_fit"), SQLDataType.BOOLEAN);

  private SessionFitness() {}

  /**
   * Returns a field that is true if the session reads only committed data, reads all the rows that
   * are asked for, and sees new commits with each statement.
   */
  static Field<Boolean> field(Tx tx) {
    return DSL.field(
            "(@@SESSION.autocommit = 1"
                + " AND @@SESSION."
                + tx.server().isolation()
                + " <> 'READ-UNCOMMITTED'"
                + " AND @@SESSION.sql_select_limit >= "
                + Long.MAX_VALUE
                + ")",
            SQLDataType.BOOLEAN)
        .as(FIT);
  }

  /**
   * Refuses a row that was read in a session with other settings.
   *
   * @throws Database.SessionUnfit if the settings are unfit
   */
  static void require(Tx tx, Record row) {
    if (!tx.prepared() && !row.get(FIT)) {
      throw new Database.SessionUnfit();
    }
  }
}
