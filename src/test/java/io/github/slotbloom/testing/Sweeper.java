package io.github.slotbloom.testing;

import io.github.slotbloom.core.FilterName;
import io.github.slotbloom.internal.context.FollowedFilter;
import io.github.slotbloom.internal.failure.Failures;
import io.github.slotbloom.internal.failure.Retry;
import io.github.slotbloom.internal.fold.LeftTables;
import io.github.slotbloom.internal.store.catalog.Catalog;
import io.github.slotbloom.internal.store.filter.FilterRecord;
import io.github.slotbloom.internal.store.session.Database;
import io.github.slotbloom.internal.store.session.Transactions;
import io.github.slotbloom.internal.store.session.Tx;
import io.github.slotbloom.internal.time.TimeSource;
import java.util.function.Function;
import javax.sql.DataSource;

/** A process that drops the tables that a filter left when a test says so, not once a minute. */
public final class Sweeper {

  private final LeftTables leftTables;

  public Sweeper(DataSource dataSource, String filter) {
    Database database = Database.connect(dataSource);
    FilterRecord found =
        database.transact(tx -> Catalog.find(tx, new FilterName(filter))).orElseThrow();
    // Repeats what failed, as a process does.
    Transactions repeated =
        new Transactions() {
          @Override
          public <T> T ask(Function<Tx, T> work) {
            return Retry.patiently(
                TimeSource.SYSTEM, Failures::passing, () -> database.transact(work));
          }
        };
    leftTables = new LeftTables(new FollowedFilter(found), repeated);
  }

  /** Takes one step, as the process would a minute later. */
  public void sweep() {
    leftTables.sweep();
  }

  /** Takes one step of a process of its own. */
  public static void sweep(DataSource dataSource, String filter) {
    new Sweeper(dataSource, filter).sweep();
  }
}
