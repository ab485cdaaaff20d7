package io.github.slotbloom.internal.opened;

import io.github.slotbloom.BlockList;
import io.github.slotbloom.BloomFilter;
import io.github.slotbloom.FilterOptions;
import io.github.slotbloom.Offered;
import io.github.slotbloom.TransactionalWrites;
import io.github.slotbloom.core.KeyType;
import io.github.slotbloom.internal.add.EventTime;
import io.github.slotbloom.internal.admin.FilterDirectory;
import io.github.slotbloom.internal.admin.Rescuing;
import io.github.slotbloom.internal.background.Callbacks;
import io.github.slotbloom.internal.engine.FilterEngine;
import io.github.slotbloom.internal.engine.FilterEngines;
import io.github.slotbloom.internal.failure.Failures;
import io.github.slotbloom.internal.store.filter.FilterRecord;
import io.github.slotbloom.internal.store.session.CallerTransaction;
import io.github.slotbloom.internal.store.session.OpenTransaction;
import io.github.slotbloom.report.ProcessStatistics;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BiConsumer;
import java.util.function.Function;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** Turns keys into hashes, and passes the hashes to the engine. */
public class EngineBloomFilter<K> implements BloomFilter<K> {

  private final FilterRecord filter;
  private final KeyHashing<K> hashing;
  private final Environment environment;
  private final FilterEngine engine;
  private final AtomicBoolean closed = new AtomicBoolean();
  private final Duration timeout;

  /**
   * What all open filters of a process have.
   *
   * @param onClose receives each filter that is closed, and true if nobody has the same engine open
   *     anymore
   */
  public record Environment(
      FilterEngines engines,
      FilterDirectory directory,
      Callbacks callbacks,
      BiConsumer<EngineBloomFilter<?>, Boolean> onClose) {}

  EngineBloomFilter(
      FilterRecord filter, KeyType<K> keyType, FilterOptions options, Environment environment) {
    this.filter = filter;
    this.hashing = new KeyHashing<>(filter, keyType);
    this.environment = environment;
    this.timeout = options.timeout();
    this.engine = environment.engines().open(filter, options);
  }

  /** Returns what equal openings share. */
  public FilterEngine shared() {
    return engine;
  }

  /** Returns the filter as it was when it was opened. */
  public FilterRecord record() {
    return filter;
  }

  /** Returns what turns keys into the hashes that the filter stores. */
  public final KeyHashing<K> hashing() {
    return hashing;
  }

  @Override
  public String name() {
    return filter.name().value();
  }

  @Override
  public boolean add(K key) {
    return engine().writes().add(hashing.hash(key));
  }

  @Override
  public boolean[] addEach(List<? extends K> keys) {
    return engine().writes().addEach(hashing.hashes(keys));
  }

  @Override
  public TransactionalWrites<K> within(Connection transaction) {
    return writesWithin(transaction);
  }

  final EngineTransactionalWrites<K> writesWithin(Connection transaction) {
    return new EngineTransactionalWrites<>(
        hashing,
        engine().within(Objects.requireNonNull(transaction, "transaction")),
        engine().tally());
  }

  @Override
  public <X extends Exception> boolean once(DataSource dataSource, K key, Work<X> work)
      throws X, SQLException {
    return once(dataSource, key, work, writes -> Offered.of(writes.add(key), false)) == Offered.NEW;
  }

  @Override
  public <X extends Exception> Offered once(
      DataSource dataSource, K key, Instant eventTime, Work<X> work) throws X, SQLException {
    return once(dataSource, key, work, writes -> writes.offer(key, eventTime));
  }

  private <X extends Exception> Offered once(
      DataSource dataSource, K key, Work<X> work, Function<TransactionalWrites<K>, Offered> last)
      throws X, SQLException {
    if (engine().lookups().isSeen(hashing.hash(key))) {
      return Offered.SEEN;
    }
    try (Connection connection = dataSource.getConnection()) {
      OpenTransaction.refuse(connection);
      boolean autoCommit = connection.getAutoCommit();
      connection.setAutoCommit(false);
      Throwable failure = null;
      Offered offered = Offered.SEEN;
      try {
        CallerTransaction.wholly(connection, () -> work.in(connection));
        TransactionalWrites<K> writes = within(connection);
        offered = last.apply(writes);
        if (offered == Offered.NEW) {
          connection.commit();
          writes.committed();
        }
        return offered;
      } catch (Throwable e) {
        failure = e;
        throw e;
      } finally {
        end(connection, autoCommit, failure != null || offered != Offered.NEW, failure);
      }
    }
  }

  /** Leaves the connection as it came. Why the work failed matters more than what fails here. */
  private static void end(
      Connection connection, boolean autoCommit, boolean rollback, @Nullable Throwable failure)
      throws SQLException {
    try {
      if (rollback) {
        connection.rollback();
      }
      connection.setAutoCommit(autoCommit);
    } catch (SQLException | RuntimeException e) {
      if (failure == null) {
        throw e;
      }
      failure.addSuppressed(e);
    }
  }

  @Override
  public CompletableFuture<Boolean> addAsync(K key) {
    return forCallers(engine().writes().addAsync(hashing.hash(key)));
  }

  /** Returns a future that is never completed on the thread that writes. */
  final CompletableFuture<Boolean> forCallers(CompletableFuture<Boolean> written) {
    return written.isDone() ? written : environment.callbacks().completeLike(written, timeout);
  }

  @Override
  public Offered offer(K key, Instant eventTime) {
    return engine().writes().offer(hashing.hash(key), EventTime.of(eventTime));
  }

  @Override
  public boolean mightContain(K key) {
    return engine().lookups().mightContain(hashing.hash(key));
  }

  @Override
  public boolean[] mightContainEach(List<? extends K> keys) {
    return engine().lookups().mightContainEach(hashing.hashes(keys));
  }

  @Override
  public boolean[] reportFalsePositives(List<? extends K> keys) {
    return engine().lookups().reportFalsePositives(hashing.hashes(keys));
  }

  @Override
  public BlockList<K> blockList() {
    return new EngineBlockList<>(
        hashing, this::engine, new Rescuing(environment.directory(), filter));
  }

  @Override
  public ProcessStatistics statistics() {
    return engine.statistics();
  }

  @Override
  public void close() {
    if (closed.compareAndSet(false, true)) {
      environment.onClose().accept(this, environment.engines().close(engine));
    }
  }

  /** Returns the engine, which others may have open when this is closed. */
  final FilterEngine engine() {
    if (closed.get()) {
      throw Failures.closed(filter.name());
    }
    return engine;
  }

  @Override
  public String toString() {
    return "BloomFilter[" + filter.name() + "]";
  }
}
