package io.github.slotbloom.internal.store.catalog;

import io.github.slotbloom.internal.store.TableColumns;
import io.github.slotbloom.internal.store.Tables.Removed;
import io.github.slotbloom.internal.store.Tx;
import java.util.List;

/** Finds faults in the columns of the table with the removed hashes of a filter. */
public final class RemovedTableAudit {

  private final Removed columns;

  public RemovedTableAudit(RemovalRecord removal) {
    columns = new Removed(removal.table());
  }

  /**
   * Returns the faults of the columns as parts of a sentence, or an empty list if there are none.
   */
  public List<String> columnFaults(Tx tx) {
    return TableColumns.of(tx, columns.table)
        .map(
            found ->
                found
                    .require(columns.hash, "bigint", "PRI")
                    .require(columns.seq, "bigint unsigned", "")
                    .faults())
        .orElseGet(() -> List.of("there is no such table"));
  }
}
