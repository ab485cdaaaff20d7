package io.github.slotbloom.internal.store.session;

import io.github.slotbloom.error.TransactionStateException;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;

/**
 * Tells whether a connection came inside a transaction of somebody else, which must not be ended.
 *
 * <p>A pool whose connections are not in autocommit mode and a transaction of the caller look the
 * same to JDBC. The server tells them apart: it sets the isolation level of the next transaction
 * only while none is open. Every server does so for every account, and asking begins no
 * transaction.
 */
public final class OpenTransaction {

  /** Fails within a transaction; otherwise it is for the next one alone. */
  private static final String TRIAL = "SET TRANSACTION ISOLATION LEVEL READ COMMITTED";

  private static final int TRANSACTION_IN_PROGRESS = 1568;

  private OpenTransaction() {}

  /**
   * Refuses a connection inside a transaction. Otherwise the next transaction on it is at READ
   * COMMITTED.
   *
   * @throws TransactionStateException if a transaction is open
   */
  public static void refuse(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(TRIAL);
    } catch (SQLException e) {
      if (isReasonOf(e)) {
        throw refusal(e);
      }
      throw e;
    }
  }

  /** Returns true if the server refused to set what holds for the next transaction alone. */
  static boolean isReasonOf(SQLException e) {
    return e.getErrorCode() == TRANSACTION_IN_PROGRESS;
  }

  static TransactionStateException refusal(SQLException e) {
    return new TransactionStateException(
        "The data source gave Slotbloom a connection with an open transaction, which Slotbloom must"
            + " not end. Nothing was done, and the transaction continues. Give Slotbloom a data"
            + " source with separate connections: the target of a transaction-aware proxy. To add"
            + " in your transaction, use BloomFilter.within(connection). If no transaction was"
            + " begun, the pool's connections have completion_type CHAIN, or were returned without"
            + " a rollback.",
        e);
  }
}
