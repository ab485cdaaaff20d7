package io.github.slotbloom.spring;

import io.github.slotbloom.BloomFilter;
import io.github.slotbloom.TransactionalWrites;
import java.sql.Connection;
import java.util.function.Supplier;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.datasource.DataSourceUtils;
import org.springframework.transaction.support.ResourceHolderSupport;
import org.springframework.transaction.support.ResourceHolderSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * The adds to one filter in the transaction of a thread. Spring keeps them for that transaction,
 * and puts them aside while another one goes on in between.
 */
final class JoinedWrites extends ResourceHolderSupport {

  private final TransactionalWrites<?> writes;
  private final Connection connection;

  private JoinedWrites(TransactionalWrites<?> writes, Connection connection) {
    this.writes = writes;
    this.connection = connection;
  }

  /** Returns those of the present transaction, and begins them if there are none. */
  static <K> TransactionalWrites<K> of(
      BloomFilter<K> filter, DataSource dataSource, Supplier<Connection> connection) {
    Key<K> key = new Key<>(filter, dataSource);
    JoinedWrites joined = (JoinedWrites) TransactionSynchronizationManager.getResource(key);
    if (joined == null) {
      joined = begin(key, connection.get());
    }
    return key.typed(joined.writes);
  }

  private static JoinedWrites begin(Key<?> key, Connection connection) {
    JoinedWrites begun;
    try {
      begun = new JoinedWrites(key.filter.within(connection), connection);
    } catch (RuntimeException e) {
      DataSourceUtils.releaseConnection(connection, key.dataSource);
      throw e;
    }
    TransactionSynchronizationManager.bindResource(key, begun);
    TransactionSynchronizationManager.registerSynchronization(new Lifetime(begun, key));
    return begun;
  }

  /**
   * One filter on one data source. Each open filter is a key of its own.
   *
   * @param <K> the type of the keys of the filter
   */
  private static final class Key<K> {
    private final BloomFilter<K> filter;
    private final DataSource dataSource;

    Key(BloomFilter<K> filter, DataSource dataSource) {
      this.filter = filter;
      this.dataSource = dataSource;
    }

    /** The map holds only values of this type under this key. */
    @SuppressWarnings("unchecked")
    TransactionalWrites<K> typed(TransactionalWrites<?> writes) {
      return (TransactionalWrites<K>) writes;
    }

    @Override
    public boolean equals(@Nullable Object other) {
      return other instanceof Key<?> that && filter == that.filter && dataSource == that.dataSource;
    }

    @Override
    public int hashCode() {
      return 31 * System.identityHashCode(filter) + System.identityHashCode(dataSource);
    }
  }

  /** Gives the connection back before the transaction ends, and counts what was committed. */
  private static final class Lifetime extends ResourceHolderSynchronization<JoinedWrites, Key<?>> {

    private final JoinedWrites joined;

    Lifetime(JoinedWrites joined, Key<?> key) {
      super(joined, key);
      this.joined = joined;
    }

    @Override
    public void afterCompletion(int status) {
      super.afterCompletion(status);
      if (status == STATUS_COMMITTED) {
        joined.writes.committed();
      }
    }

    @Override
    protected void releaseResource(JoinedWrites joined, Key<?> key) {
      DataSourceUtils.releaseConnection(joined.connection, key.dataSource);
    }
  }
}
