package io.github.slotbloom.testing;

import java.sql.SQLException;
import java.time.Duration;

/**
 * Shortens leases so that tests need not wait. Clearing, dropping or replacing a filter waits for
 * one or two leases. A lease lasts two seconds, and no option changes that.
 */
public final class ShortLease {

  public static final Duration LEASE = Duration.ofMillis(100);

  private ShortLease() {}

  /** Shortens the lease of all filters that are later created in a schema. */
  public static void forAll(Sql sql) throws SQLException {
    sql.run(
        "CREATE TRIGGER short_lease BEFORE INSERT ON bloom_filter FOR EACH ROW"
            + " SET NEW.lease_millis = "
            + LEASE.toMillis());
  }

  /**
   * Shortens the lease of one filter. No process may have it open, because it would refuse the
   * change.
   */
  public static void of(String filter, Sql sql) throws SQLException {
    sql.run("UPDATE bloom_filter SET lease_millis = ? WHERE name = ?", LEASE.toMillis(), filter);
  }
}
