package io.github.slotbloom.internal.store.session;

import java.sql.Connection;
import javax.sql.DataSource;
import org.jooq.DSLContext;
import org.jooq.Log;
import org.jooq.conf.Settings;
import org.jooq.impl.DSL;
import org.jooq.tools.JooqLogger;

/** Lends the sessions of one server, with what is known of that. Thread-safe. */
final class Sessions {

  private final DataSource dataSource;
  private final ServerVersion server;
  private final ReplicationGroup group;
  private final SessionConditions conditions;
  private final Session ours;
  private final boolean chosen;
  // Nobody reads the warnings. On a lost connection Connector/J answers a request for them with a
  // NullPointerException, which hides the real error.
  private final Settings settings =
      new Settings().withExecuteLogging(false).withFetchWarnings(false);

  static {
    // No logo, no tip of the day, and no doubts about MariaDB 10, which calls itself 5.5.5.
    // This is our own copy of jOOQ: an application's one goes on logging as it likes.
    JooqLogger.globalThreshold(Log.Level.ERROR);
  }

  /**
   * Creates a lender.
   *
   * @param conditions what must hold for a read to be trusted
   * @param chosen true if the server was chosen among several
   */
  Sessions(
      DataSource dataSource,
      ServerVersion server,
      ReplicationGroup group,
      SessionConditions conditions,
      boolean chosen) {
    this.dataSource = dataSource;
    this.server = server;
    this.group = group;
    this.conditions = conditions;
    this.chosen = chosen;
    this.ours = new Session(server, group, conditions, chosen);
  }

  ServerVersion server() {
    return server;
  }

  ReplicationGroup group() {
    return group;
  }

  /**
   * Borrows a connection.
   *
   * @throws DatabaseFailure if the data source provides none
   */
  Loan borrow() {
    return Loan.from(dataSource);
  }

  /** Returns how a session gets our settings. */
  Session ours() {
    return ours;
  }

  /** Returns true if nothing has to be asked of the server before a statement is sent. */
  boolean commitsAlone() {
    return group == ReplicationGroup.NONE && !chosen;
  }

  Tx tx(Connection connection, RepeatedStatements statements, boolean prepared) {
    DSLContext dsl = DSL.using(connection, server.dialect(), settings);
    return new Tx(dsl, server, group, conditions, statements, prepared);
  }
}
