package io.github.slotbloom.store;

import org.jooq.DSLContext;

/** A connection at work. Lives as long as the call that it is handed to. */
public final class Tx {

  private final DSLContext dsl;
  private final boolean prepared;

  Tx(DSLContext dsl, boolean prepared) {
    this.dsl = dsl;
    this.prepared = prepared;
  }

  DSLContext dsl() {
    return dsl;
  }

  /** Whether isolation level and limits of the session are known to be ours. */
  boolean prepared() {
    return prepared;
  }
}
