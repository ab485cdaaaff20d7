package io.github.slotbloom.internal.store.session;

import static org.jooq.impl.DSL.name;

import org.jooq.Field;
import org.jooq.Record;
import org.jooq.impl.DSL;
import org.jooq.impl.SQLDataType;

/**
 * Checks, in the same statement as a read, that the server and the settings of the session make the
 * read reliable.
 */
public final class SessionFitness {

  private static final int UNFIT = 0;
  private static final int FIT = 1;
  private static final int SECONDARY = 2;

  /** The name of {@link #field}. */
  private static final Field<Integer> FITNESS = DSL.field(name("session_fit"), SQLDataType.INTEGER);

  private SessionFitness() {}

  /**
   * Returns a field that tells whether the server may answer, and whether the session reads only
   * committed data, reads all the requested rows, and sees new commits with each statement.
   */
  public static Field<Integer> field(Tx tx) {
    return DSL.field(expression(tx), SQLDataType.INTEGER).as(FITNESS);
  }

  /** Returns a condition that is true for a session and a server that are fit. */
  static String condition(Tx tx) {
    return expression(tx) + " = " + FIT;
  }

  /** Returns the same as text, for {@link #require(Tx, int)}. */
  public static String expression(Tx tx) {
    return "CASE WHEN NOT "
        + tx.conditions().server()
        + " THEN "
        + SECONDARY
        + " WHEN @@SESSION.autocommit = 1 AND @@SESSION."
        + tx.server().isolation()
        + " <> 'READ-UNCOMMITTED' AND @@SESSION.sql_select_limit >= "
        + Long.MAX_VALUE
        + " AND "
        + tx.conditions().waits()
        + " THEN "
        + FIT
        + " ELSE "
        + UNFIT
        + " END";
  }

  /**
   * Refuses to conclude anything from a row that is not there, unless the session is known to be
   * fit.
   *
   * @throws KeptSession.SessionUnfit if that is not known
   */
  public static void requireKnown(Tx tx) {
    if (!tx.prepared()) {
      throw new KeptSession.SessionUnfit();
    }
  }

  /** Returns true if a row with that field can be trusted. */
  public static boolean isFit(Tx tx, Record row) {
    return isFit(tx, row.get(FITNESS));
  }

  private static boolean isFit(Tx tx, int fitness) {
    return fitness == FIT || (fitness == UNFIT && tx.prepared());
  }

  /**
   * Refuses a row that cannot be trusted.
   *
   * @throws DatabaseFailure if the server is not one that may answer, such as the primary
   * @throws KeptSession.SessionUnfit if the settings are unfit
   */
  public static void require(Tx tx, Record row) {
    require(tx, row.get(FITNESS));
  }

  /**
   * Refuses what cannot be trusted, as {@link #require(Tx, Record)} does.
   *
   * @param fitness the value of {@link #expression}
   */
  public static void require(Tx tx, int fitness) {
    if (fitness == SECONDARY) {
      throw DatabaseFailure.ofSecondary();
    }
    if (!isFit(tx, fitness)) {
      throw new KeptSession.SessionUnfit();
    }
  }
}
