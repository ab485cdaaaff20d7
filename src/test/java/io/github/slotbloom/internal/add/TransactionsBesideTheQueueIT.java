package io.github.slotbloom.internal.add;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

import com.mysql.cj.jdbc.MysqlXADataSource;
import com.mysql.cj.jdbc.MysqlXid;
import com.zaxxer.hikari.HikariDataSource;
import io.github.slotbloom.BloomFilter;
import io.github.slotbloom.SlotBloom;
import io.github.slotbloom.core.KeyType;
import io.github.slotbloom.error.WriteFailedException;
import io.github.slotbloom.error.WriteFailedException.Outcome;
import io.github.slotbloom.testing.DatabaseContract;
import io.github.slotbloom.testing.Fixture;
import io.github.slotbloom.testing.TestSchema;
import io.github.slotbloom.testing.Use;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import javax.sql.XAConnection;
import javax.transaction.xa.XAException;
import javax.transaction.xa.XAResource;
import javax.transaction.xa.Xid;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** One process adds through its write queue and within transactions at the same time. */
@DatabaseContract
@Timeout(300)
class TransactionsBesideTheQueueIT {

  private static final Use USE = Use.MIRRORED;

  private static final int THREADS = 4;
  private static final int ADDS = 12;
  private static final int KEYS = 120;
  private static final AtomicInteger NAMES = new AtomicInteger();

  @Fixture private static TestSchema schema;
  @Fixture private static SlotBloom there;

  private static String reserve(Use use) {
    String name = "f" + NAMES.incrementAndGet();
    there.reserve(name, use.spec(KeyType.text())).close();
    return name;
  }

  static Stream<Arguments> usesAndPoolSizes() {
    return Stream.of(
        Arguments.of(Use.MIRRORED, 1), Arguments.of(Use.MIRRORED, 8), Arguments.of(Use.DIRECT, 2));
  }

  @ParameterizedTest
  @MethodSource("usesAndPoolSizes")
  void transactionsAndTheQueueDoNotBlockEachOther(Use use, int poolSize) throws Exception {
    long seed = Long.getLong("slotbloom.test.seed", new Random().nextLong());
    System.out.println("slotbloom.test.seed=" + seed);
    String name = reserve(use);
    HikariDataSource pool =
        schema.pool(
            settings -> {
              settings.setMaximumPoolSize(poolSize);
              settings.setTransactionIsolation("TRANSACTION_REPEATABLE_READ");
              settings.setLeakDetectionThreshold(TimeUnit.MINUTES.toMillis(1));
            });
    Map<String, AtomicInteger> winners = new ConcurrentHashMap<>();
    Set<String> added = ConcurrentHashMap.newKeySet();
    ExecutorService threads = Executors.newFixedThreadPool(2 * THREADS);
    try (SlotBloom bloom = SlotBloom.on(pool)) {
      BloomFilter<String> filter = use.open(bloom, name);
      List<Callable<Void>> work = new ArrayList<>();
      for (int t = 0; t < THREADS; t++) {
        Random queued = new Random(seed + t);
        work.add(
            () -> {
              for (int i = 0; i < ADDS; i++) {
                String key = "key " + queued.nextInt(KEYS);
                if (filter.add(key)) {
                  count(winners, key);
                }
                added.add(key);
              }
              return null;
            });
        Random within = new Random(seed - 1 - t);
        work.add(
            () -> {
              for (int i = 0; i < ADDS; i++) {
                addWithin(pool, filter, within, winners, added);
              }
              return null;
            });
      }
      for (Future<Void> done : threads.invokeAll(work, 90, TimeUnit.SECONDS)) {
        done.get();
      }
      // What works in the background may wait for one at this moment, but not for long.
      await().until(() -> pool.getHikariPoolMXBean().getThreadsAwaitingConnection() == 0);
    } finally {
      threads.shutdownNow();
    }
    assertThat(pool.getHikariPoolMXBean().getActiveConnections()).isZero();
    assertThat(winners.keySet()).isEqualTo(added);
    assertThat(winners.values()).allMatch(wins -> wins.get() == 1);
    assertThat(there.info(name).keysAdded()).isEqualTo(added.size());
  }

  private static void addWithin(
      HikariDataSource pool,
      BloomFilter<String> filter,
      Random random,
      Map<String, AtomicInteger> winners,
      Set<String> added)
      throws SQLException {
    String key = "key " + random.nextInt(KEYS);
    try (Connection connection = pool.getConnection()) {
      connection.setAutoCommit(false);
      boolean isNew = filter.within(connection).add(key);
      if (random.nextInt(3) == 0) {
        connection.rollback();
        return;
      }
      connection.commit();
      added.add(key);
      if (isNew) {
        count(winners, key);
      }
    }
  }

  private static void count(Map<String, AtomicInteger> winners, String key) {
    winners.computeIfAbsent(key, k -> new AtomicInteger()).incrementAndGet();
  }

  @Test
  @Timeout(45)
  void aPlainAddWithinATransactionFailsInTime() throws Exception {
    String name = reserve(Use.MIRRORED);
    HikariDataSource pool = schema.pool(settings -> settings.setMaximumPoolSize(1));
    try (SlotBloom bloom = SlotBloom.on(pool)) {
      BloomFilter<String> filter = Use.MIRRORED.open(bloom, name, Duration.ofSeconds(2));
      // The time-out is not for making connections.
      await().until(() -> pool.getHikariPoolMXBean().getTotalConnections() == 1);
      try (Connection connection = pool.getConnection()) {
        connection.setAutoCommit(false);
        assertThat(filter.within(connection).add("a")).isTrue();
        WriteFailedException failure =
            catchThrowableOfType(WriteFailedException.class, () -> filter.add("b"));
        assertThat(failure.outcome()).isEqualTo(Outcome.NOT_RECORDED);
        assertThat(failure).hasMessageContainingAll(name, "the pool had no free connection");
        assertThat(filter.within(connection).add("c")).isTrue();
        connection.commit();
      }
      // The writer may still be in its last attempt for the one that gave up.
      BloomFilter<String> patient = bloom.open(name, KeyType.text());
      assertThat(patient.addEach(List.of("a", "b", "c"))).containsExactly(false, true, false);
    }
  }

  @Test
  void addsCommitAndRollBackWithABranchOfADistributedTransaction() throws Exception {
    String name = reserve(USE);
    MysqlXADataSource dataSource = new MysqlXADataSource();
    dataSource.setUrl(schema.url());
    dataSource.setUser(schema.owner().user());
    dataSource.setPassword(schema.owner().password());
    BloomFilter<String> filter = USE.open(there, name);
    XAConnection branches = dataSource.getXAConnection();
    try (Connection connection = branches.getConnection()) {
      connection.setAutoCommit(false);
      XAResource resource = branches.getXAResource();
      Xid first = xid(name, 1);
      prepare(first, resource, () -> addNew(filter, connection, List.of("a", "b")));
      assertThat(filter.mightContain("a")).isFalse();
      resource.rollback(first);
      Xid second = xid(name, 2);
      prepare(second, resource, () -> addNew(filter, connection, List.of("b", "c")));
      assertThat(filter.mightContain("b")).isFalse();
      resource.commit(second, false);
    } finally {
      branches.close();
    }
    assertThat(filter.addEach(List.of("a", "b", "c"))).containsExactly(true, false, false);
    assertThat(there.info(name).keysAdded()).isEqualTo(3);
  }

  private static void prepare(Xid branch, XAResource resource, Runnable work) throws XAException {
    resource.start(branch, XAResource.TMNOFLAGS);
    work.run();
    resource.end(branch, XAResource.TMSUCCESS);
    assertThat(resource.prepare(branch)).isEqualTo(XAResource.XA_OK);
  }

  private static void addNew(BloomFilter<String> filter, Connection connection, List<String> keys) {
    assertThat(filter.within(connection).addEach(keys)).containsOnly(true);
  }

  private static Xid xid(String name, int branch) {
    byte[] global = (schema.name() + name).getBytes(StandardCharsets.US_ASCII);
    return new MysqlXid(global, ByteBuffer.allocate(4).putInt(branch).array(), 1);
  }
}
