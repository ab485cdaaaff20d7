package io.github.slotbloom.testing;

import io.github.slotbloom.core.FilterName;
import io.github.slotbloom.internal.context.FollowedFilter;
import io.github.slotbloom.internal.fold.LeftTables;
import io.github.slotbloom.internal.store.catalog.Catalog;
import io.github.slotbloom.internal.store.filter.FilterRecord;
import io.github.slotbloom.internal.store.session.Database;
import javax.sql.DataSource;

/** A process that drops the tables that a filter left when a test says so, not once a minute. */
public final class Sweeper {

  private final LeftTables leftTables;

  public Sweeper(DataSource dataSource, String filter) {
    Database database = Database.connect(dataSource);
    FilterRecord found =
        database.transact(tx -> Catalog.find(tx, new FilterName(filter))).orElseThrow();
    leftTables = new LeftTables(new FollowedFilter(found), database::transact);
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
