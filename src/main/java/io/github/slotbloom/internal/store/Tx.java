package io.github.slotbloom.internal.store;

import org.jooq.DSLContext;

/** A connection in use. Valid only during the call that receives it. */
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

  /** Returns true if the session is known to have our isolation level and limits. */
  public boolean prepared() {
    return prepared;
  }
}
