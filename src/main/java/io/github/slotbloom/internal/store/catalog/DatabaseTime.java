package io.github.slotbloom.internal.store.catalog;

import static org.jooq.impl.DSL.field;

import io.github.slotbloom.internal.store.Tables;
import io.github.slotbloom.internal.store.session.Tx;
import org.jooq.Field;
import org.jooq.impl.SQLDataType;

/** Reads the database clock. */
public final class DatabaseTime {

  private static final Field<Long> NOW =
      field(Tables.MICROS_NOW, SQLDataType.BIGINT).as("micros_now");

  private DatabaseTime() {}

  /**
   * Returns the time of the database's clock, in microseconds since the start of 1970 in UTC. Call
   * it after the lock is there: the statement that takes a lock has the time at which it began to
   * wait.
   */
  public static long nowMicros(Tx tx) {
    return tx.dsl().select(NOW).fetchSingle(NOW);
  }
}
