package io.github.slotbloom.internal.store.session;

import org.jooq.DSLContext;

/**
 * A connection in use. Valid only during the call that receives it.
 *
 * @param group the servers that take part in each commit
 * @param conditions what must hold for a read to be trusted
 * @param statements executes what is repeated on this connection
 * @param prepared true if the session is known to have our isolation level and limits
 */
public record Tx(
    DSLContext dsl,
    ServerVersion server,
    ReplicationGroup group,
    SessionConditions conditions,
    RepeatedStatements statements,
    boolean prepared) {}
