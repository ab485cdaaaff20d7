package io.github.slotbloom.internal.store;

import org.jooq.DSLContext;

/** A connection at work. Lives as long as the call that it is handed to. */
public final class Tx {

  private final DSLContext dsl;
  private final ServerVersion server;
  private final boolean prepared;

  Tx(DSLContext dsl, ServerVersion server, boolean prepared) {
    this.dsl = dsl;
    this.server = server;
    this.prepared = prepared;
  }

  public DSLContext dsl() {
    return dsl;
  }

  public ServerVersion server() {
    return server;
  }

  /** Whether isolation level and limits of the session are known to be ours. */
  public boolean prepared() {
    return prepared;
  }
}
