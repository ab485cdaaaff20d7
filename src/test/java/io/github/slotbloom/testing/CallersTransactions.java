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
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.provider.Arguments;

/**
 * A test of transactions of callers that write a row of their own, an order, and add keys to
 * filters. Two instances of one schema use the filters.
 */
@Timeout(300)
@PossibleLog(KnownLogs.MIRROR_RELOADED)
@PossibleLog(KnownLogs.FOLDING_FAILED)
@PossibleLog(KnownLogs.WEAK_DURABILITY)
public abstract class CallersTransactions {

  private static final AtomicInteger LAST_ORDER = new AtomicInteger();

  @Fixture protected static TestSchema schema;
  @Fixture protected static SlotBloom here;
  @Fixture protected static SlotBloom there;
  @Fixture protected static Sql sql;

  @BeforeDatabase
  static void makeOrders() throws SQLException {
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

  protected static Stream<Arguments> everyUseAndLevel() {
    return Arrays.stream(Use.values())
        .flatMap(use -> Arrays.stream(Isolation.values()).map(at -> Arguments.of(use, at)));
  }

  /** For what is the same at each level, with a snapshot and without one. */
  protected static Stream<Arguments> usesAtOneLevel() {
    return Stream.of(
        Arguments.of(Use.MIRRORED, Isolation.REPEATABLE_READ),
        Arguments.of(Use.DIRECT, Isolation.READ_COMMITTED));
  }

  protected static BloomFilter<String> reserve(Use use) {
    return reserve(use, Use.CAPACITY);
  }

  protected static BloomFilter<String> reserve(Use use, long capacity) {
    String name = newName();
    here.reserve(name, use.spec(KeyType.text(), capacity)).close();
    return use.open(here, name);
  }

  protected static BloomFilter<String> openThere(BloomFilter<String> filter) {
    return there.open(filter.name(), KeyType.text());
  }

  protected static Connection begin(Isolation isolation) throws SQLException {
    return begin(schema.dataSource().getConnection(), isolation);
  }

  protected static Connection begin(Connection connection, Isolation isolation)
      throws SQLException {
    return ByHand.transaction(connection, isolation.level);
  }

  /** Where the level keeps a snapshot, it is taken by this. */
  protected static void takeSnapshot(Connection connection) throws SQLException {
    assertThat(read(connection, "SELECT COUNT(*) FROM orders WHERE id < 0")).isEqualTo("0");
  }

  protected static String read(Connection connection, String query) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(query);
        ResultSet row = statement.executeQuery()) {
      row.next();
      return row.getString(1);
    }
  }

  protected static int order(Connection connection) throws SQLException {
    int id = LAST_ORDER.incrementAndGet();
    Sql.run(connection, "INSERT INTO orders (id) VALUES (?)", id);
    return id;
  }

  protected static boolean ordered(int id) throws SQLException {
    return sql.number("SELECT COUNT(*) FROM orders WHERE id = ?", id) == 1;
  }

  /** Waits until somebody waits for the lock that orders the writers. */
  protected static void awaitLockWait(CompletableFuture<?> waiting) {
    LockWaits.awaitOneForAFilter(sql);
    assertThat(waiting).isNotDone();
  }

  /** An entry in the way makes the append fail, when everything is locked already. */
  protected static void obstruct(BloomFilter<String> filter, Connection connection)
      throws SQLException {
    Sql.run(
        connection,
        ByHand.INSERT_ENTRY
            + " SELECT id, e.last_seq + 1, 7, e.token, 'ADD', ?, UTC_TIMESTAMP(3)"
            + " FROM bloom_filter JOIN bloom_journal e ON e.filter_id = id AND seq = 0"
            + " WHERE name = ?",
        ByHand.payload(1),
        filter.name());
  }
}
