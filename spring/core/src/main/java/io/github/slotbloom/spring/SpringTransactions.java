package io.github.slotbloom.spring;

import io.github.slotbloom.BloomFilter;
import io.github.slotbloom.TransactionalWrites;
import io.github.slotbloom.error.TransactionStateException;
import java.sql.Connection;
import java.sql.SQLException;
import javax.sql.DataSource;
import org.springframework.jdbc.CannotGetJdbcConnectionException;
import org.springframework.jdbc.datasource.DataSourceUtils;
import org.springframework.jdbc.datasource.TransactionAwareDataSourceProxy;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * Adds keys to filters within the transaction that Spring holds open on the present thread, as for
 * a {@code @Transactional} method: the keys commit and roll back with it. This works with every
 * transaction manager that makes the JDBC connection of its transaction known to Spring: those for
 * a data source, and that of JPA with Hibernate.
 *
 * <pre>{@code
 * @Transactional
 * public void book(Payment payment) {
 *   accounts.save(payment);
 *   if (!transactions.within(payments).add(payment.id())) {
 *     throw new DuplicatePaymentException(); // rolls back
 *   }
 * }
 * }</pre>
 *
 * <p>Thread-safe.
 */
public final class SpringTransactions {

  private final DataSource dataSource;

  /**
   * Joins transactions of a data source.
   *
   * @param dataSource the data source of the filters and of the transaction manager
   */
  public SpringTransactions(DataSource dataSource) {
    this.dataSource = withoutProxy(dataSource);
  }

  /** Returns the data source by which transaction managers know the connection. */
  private static DataSource withoutProxy(DataSource dataSource) {
    DataSource target =
        dataSource instanceof TransactionAwareDataSourceProxy proxy
            ? proxy.getTargetDataSource()
            : null;
    return target == null ? dataSource : target;
  }

  /** {@return the data source whose transactions are joined} */
  public DataSource dataSource() {
    return dataSource;
  }

  /**
   * Returns the adds to a filter in the transaction of this thread. Ask for them in each
   * transaction, and do not keep them. {@link TransactionalWrites} says why adds should come last.
   *
   * @param <K> the type of the keys
   * @param filter an open filter in the schema of the data source
   * @return the same object for each call in one transaction
   * @throws TransactionStateException if this thread has no transaction of the data source
   * @throws io.github.slotbloom.error.FilterClosedException if the filter was closed
   */
  public <K> TransactionalWrites<K> within(BloomFilter<K> filter) {
    if (!TransactionSynchronizationManager.isActualTransactionActive()
        || !TransactionSynchronizationManager.isSynchronizationActive()) {
      throw new TransactionStateException(
          ("Keys of filter %s cannot be added in this thread's transaction because there is none."
                  + " Call this in a @Transactional method that is called from another bean, or in a"
                  + " TransactionTemplate.")
              .formatted(filter.name()),
          null);
    }
    return JoinedWrites.of(filter, dataSource, () -> join(filter));
  }

  private Connection join(BloomFilter<?> filter) {
    Connection connection = DataSourceUtils.getConnection(dataSource);
    try {
      if (!connection.getAutoCommit()) {
        return connection;
      }
    } catch (SQLException e) {
      DataSourceUtils.releaseConnection(connection, dataSource);
      throw new CannotGetJdbcConnectionException("The connection gives no settings", e);
    }
    DataSourceUtils.releaseConnection(connection, dataSource);
    throw new TransactionStateException(
        ("Keys of filter %s cannot be added in this thread's transaction because it belongs to"
                + " another data source than the filter's (%s). Use a transaction manager for that"
                + " data source.")
            .formatted(filter.name(), dataSource),
        null);
  }
}
