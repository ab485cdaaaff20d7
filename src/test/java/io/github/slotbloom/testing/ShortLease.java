package io.github.slotbloom.testing;

import java.sql.SQLException;

/**
 * A lease that a test need not wait for. Whoever clears, drops or replaces a filter waits for one
 * or two; they last two seconds, and no option changes that.
 */
public final class ShortLease {

  private static final int MILLIS = 200;

  private ShortLease() {}

  /** For all filters that are made in a schema from now on. */
  public static void forAll(Sql sql) throws SQLException {
    sql.run(
        "CREATE TRIGGER short_lease BEFORE INSERT ON bloom_filter FOR EACH ROW"
            + " SET NEW.lease_millis = "
            + MILLIS);
  }

  /** For one filter, which nobody has open: whoever had would refuse the change. */
  public static void of(String filter, Sql sql) throws SQLException {
    sql.run("UPDATE bloom_filter SET lease_millis = ? WHERE name = ?", MILLIS, filter);
  }
}
