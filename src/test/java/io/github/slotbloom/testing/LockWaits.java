package io.github.slotbloom.testing;

import static org.awaitility.Awaitility.await;

import java.sql.SQLException;
import java.time.Duration;
import org.awaitility.core.ConditionFactory;

/** Detects in the server's own tables that a transaction waits for a lock. */
public final class LockWaits {

  /**
   * MariaDB reads its list again only if nobody has looked at it for a tenth of a second. So the
   * first look waits as well: it could find what the test before has waited for.
   */
  private static final Duration BETWEEN_LOOKS = Duration.ofMillis(200);

  private LockWaits() {}

  /** Waits until a transaction waits for the lock that orders the writers of a filter. */
  public static void awaitOneForAFilter(Sql sql) {
    awaitOne("%bloom_filter%", sql);
  }

  /** Waits until a transaction waits for a lock, with a statement that is like a pattern. */
  public static void awaitOne(String statement, Sql sql) {
    looking().until(() -> isOne(statement, sql));
  }

  /** Returns a wait for anything that {@link #isOne} tells. */
  public static ConditionFactory looking() {
    return await()
        .atMost(Duration.ofSeconds(60))
        .pollDelay(BETWEEN_LOOKS)
        .pollInterval(BETWEEN_LOOKS);
  }

  /** Returns true if a transaction waits for a lock, with a statement that is like a pattern. */
  public static boolean isOne(String statement, Sql sql) throws SQLException {
    return sql.number(
            "SELECT COUNT(*) FROM information_schema.innodb_trx WHERE trx_state = 'LOCK WAIT' AND"
                + " trx_query LIKE ?",
            statement)
        > 0;
  }
}
