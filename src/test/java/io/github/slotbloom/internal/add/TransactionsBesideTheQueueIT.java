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
import io.github.slotbloom.testing.Crowd;
import io.github.slotbloom.testing.DatabaseContract;
import io.github.slotbloom.testing.Fixture;
import io.github.slotbloom.testing.TestSchema;
import io.github.slotbloom.testing.Use;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.XAConnection;
import javax.transaction.xa.XAException;
import javax.transaction.xa.XAResource;
import javax.transaction.xa.Xid;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** One process adds through its write queue and within transactions at the same time. */
@DatabaseContract
@Timeout(300)
class TransactionsBesideTheQueueIT {

  private static final Use USE = Use.MIRRORED;

  private static final int THREADS = 8;
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

  @ParameterizedTest
  @CsvSource({"MIRRORED, 1", "MIRRORED, 8", "DIRECT, 2"})
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
    Queue<String> won = new ConcurrentLinkedQueue<>();
    Set<String> added = ConcurrentHashMap.newKeySet();
    try (SlotBloom bloom = SlotBloom.on(pool)) {
      BloomFilter<String> filter = use.open(bloom, name);
      Crowd.of(
              THREADS,
              number -> {
                Random random = new Random(seed + number);
                for (int i = 0; i < ADDS; i++) {
                  String key = "key " + random.nextInt(KEYS);
                  boolean isNew;
                  if (number % 2 == 0) {
                    isNew = filter.add(key);
                  } else {
                    try (Connection connection = pool.getConnection()) {
                      connection.setAutoCommit(false);
                      isNew = filter.within(connection).add(key);
                      if (random.nextInt(3) == 0) {
                        connection.rollback();
                        continue;
                      }
                      connection.commit();
                    }
                  }
                  added.add(key);
                  if (isNew) {
                    won.add(key);
                  }
                }
              })
          .join(Duration.ofSeconds(90));
      // What works in the background may wait for one at this moment, but not for long.
      await().until(() -> pool.getHikariPoolMXBean().getThreadsAwaitingConnection() == 0);
    }
    assertThat(pool.getHikariPoolMXBean().getActiveConnections()).isZero();
    assertThat(won).doesNotHaveDuplicates().containsExactlyInAnyOrderElementsOf(added);
    assertThat(there.info(name).keysAdded()).isEqualTo(added.size());
  }

  @Test
  @Timeout(45)
  void aPlainAddWithinATransactionFailsInTime() throws Exception {
    String name = reserve(Use.MIRRORED);
    HikariDataSource pool = schema.pool(settings -> settings.setMaximumPoolSize(1));
    try (SlotBloom bloom = SlotBloom.on(pool)) {
      BloomFilter<String> filter = Use.MIRRORED.open(bloom, name, Duration.ofSeconds(2));
      // The timeout is not for making connections.
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
