package io.github.slotbloom;

import static org.awaitility.Awaitility.await;

import io.github.slotbloom.testing.Sql;
import java.time.Duration;

/** Sees in the server's own tables that a transaction waits for a lock. */
final class LockWaits {

  private LockWaits() {}

  /** Waits until somebody waits for the lock that orders the writers of a filter. */
  static void awaitOneForAFilter(Sql sql) {
    await()
        .atMost(Duration.ofSeconds(20))
        .until(
            () ->
                sql.number(
                        "SELECT COUNT(*) FROM information_schema.innodb_trx WHERE trx_state = 'LOCK"
                            + " WAIT' AND trx_query LIKE '%bloom_filter%'")
                    > 0);
  }
}
