package io.github.slotbloom.testing;

import static io.github.slotbloom.testing.FilterNames.newName;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.slotbloom.BloomFilter;
import io.github.slotbloom.SlotBloom;
import io.github.slotbloom.core.KeyType;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.params.provider.Arguments;

/**
 * Transactions of callers that write a row of their own, an order, and add keys to filters. Two
 * instances of one schema use the filters. Thread-safe.
 */
public final class CallersTransactions {

  private static final AtomicInteger LAST_ORDER = new AtomicInteger();

  private final TestSchema schema;
  private final SlotBloom here;
  private final SlotBloom there;
  private final Sql sql;

  /** Creates the table of orders. */
  public CallersTransactions(TestSchema schema, SlotBloom here, SlotBloom there)
      throws SQLException {
    this.schema = schema;
    this.here = here;
    this.there = there;
    this.sql = new Sql(schema.dataSource());
    sql.run("CREATE TABLE orders (id INT PRIMARY KEY, note INT NOT NULL DEFAULT 0)");
  }

  /** The levels that keep a snapshot, or need none. */
  public enum Isolation {
    READ_COMMITTED(Connection.TRANSACTION_READ_COMMITTED),
    REPEATABLE_READ(Connection.TRANSACTION_REPEATABLE_READ),
    SERIALIZABLE(Connection.TRANSACTION_SERIALIZABLE);

    private final int level;

    Isolation(int level) {
      this.level = level;
    }
  }

  public static Stream<Arguments> everyUseAndLevel() {
    return Arrays.stream(Use.values())
        .flatMap(use -> Arrays.stream(Isolation.values()).map(at -> Arguments.of(use, at)));
  }

  public BloomFilter<String> reserve(Use use) {
    return reserve(use, Use.CAPACITY);
  }

  public BloomFilter<String> reserve(Use use, long capacity) {
    String name = newName();
    here.reserve(name, use.spec(KeyType.text(), capacity)).close();
    return here.open(name, KeyType.text(), use.options());
  }

  public BloomFilter<String> openThere(BloomFilter<String> filter) {
    return there.open(filter.name(), KeyType.text());
  }

  public Connection begin(Isolation isolation) throws SQLException {
    return begin(schema.dataSource().getConnection(), isolation);
  }

  public Connection begin(Connection connection, Isolation isolation) throws SQLException {
    connection.setTransactionIsolation(isolation.level);
    connection.setAutoCommit(false);
    return connection;
  }

  /** Where the level keeps a snapshot, it is taken by this. */
  public static void takeSnapshot(Connection connection) throws SQLException {
    assertThat(read(connection, "SELECT COUNT(*) FROM orders WHERE id < 0")).isEqualTo("0");
  }

  public static String read(Connection connection, String query) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(query);
        ResultSet row = statement.executeQuery()) {
      row.next();
      return row.getString(1);
    }
  }

  public int order(Connection connection) throws SQLException {
    int id = LAST_ORDER.incrementAndGet();
    Sql.run(connection, "INSERT INTO orders (id) VALUES (?)", id);
    return id;
  }

  public boolean ordered(int id) throws SQLException {
    return sql.number("SELECT COUNT(*) FROM orders WHERE id = ?", id) == 1;
  }

  public static <T> CompletableFuture<T> inBackground(Callable<T> work) {
    CompletableFuture<T> outcome = new CompletableFuture<>();
    new Thread(
            () -> {
              try {
                outcome.complete(work.call());
              } catch (Throwable e) {
                outcome.completeExceptionally(e);
              }
            })
        .start();
    return outcome;
  }

  /** Waits until somebody waits for the lock that orders the writers. */
  public void awaitLockWait(CompletableFuture<?> waiting) {
    LockWaits.awaitOneForAFilter(sql);
    assertThat(waiting).isNotDone();
  }

  public static <T> T get(CompletableFuture<T> outcome) throws Exception {
    return outcome.get(30, TimeUnit.SECONDS);
  }

  /** An entry in the way makes the append fail, when everything is locked already. */
  public static void obstruct(BloomFilter<String> filter, Connection connection)
      throws SQLException {
    Sql.run(
        connection,
        "INSERT INTO bloom_journal SELECT id, last_seq + 1, 7, last_token, 'ADD', ?,"
            + " UTC_TIMESTAMP(3) FROM bloom_filter WHERE name = ?",
        ByHand.payload(1),
        filter.name());
  }
}
