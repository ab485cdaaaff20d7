package io.github.slotbloom.internal.membership;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.github.slotbloom.BloomFilter;
import io.github.slotbloom.SlotBloom;
import io.github.slotbloom.SlotBloomEvent;
import io.github.slotbloom.core.KeyType;
import io.github.slotbloom.error.WriteFailedException;
import io.github.slotbloom.error.WriteFailedException.Outcome;
import io.github.slotbloom.testing.BeforeDatabase;
import io.github.slotbloom.testing.ByHand;
import io.github.slotbloom.testing.DatabaseContract;
import io.github.slotbloom.testing.Fixture;
import io.github.slotbloom.testing.Instances;
import io.github.slotbloom.testing.LockWaits;
import io.github.slotbloom.testing.Sql;
import io.github.slotbloom.testing.TestDatabase;
import io.github.slotbloom.testing.TestSchema;
import io.github.slotbloom.testing.Use;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A MariaDB with {@code innodb_snapshot_isolation} ends a transaction with error 1020 that locks a
 * row which changed after its snapshot. From version 11.6 on this is the default.
 */
@DatabaseContract
@Timeout(180)
@Tag("mysql")
class SnapshotIsolationIT {

  private static final String ON = "SET SESSION innodb_snapshot_isolation = ON";

  @Fixture private static TestSchema schema;
  @Fixture private static Sql sql;
  @Fixture private static Instances instances;
  @Fixture private static SlotBloom elsewhere;
  private static SlotBloom here;
  private static final List<Exception> retried = new CopyOnWriteArrayList<>();

  @BeforeDatabase
  static void open(TestDatabase database) throws SQLException {
    here =
        instances.another(
            pool -> {
              pool.setTransactionIsolation("TRANSACTION_REPEATABLE_READ");
              if (database.isMariaDb()) {
                pool.setConnectionInitSql(ON);
              }
            },
            settings ->
                settings.listener(
                    event -> {
                      if (event instanceof SlotBloomEvent.Retrying retrying) {
                        retried.add(retrying.cause());
                      }
                    }));
    sql.run("CREATE TABLE orders (id INT PRIMARY KEY AUTO_INCREMENT, note TEXT)");
  }

  private static Connection begin() throws SQLException {
    Connection connection = schema.dataSource().getConnection();
    Sql.run(connection, ON);
    connection.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
    connection.setAutoCommit(false);
    return connection;
  }

  private static void order(Connection connection, String note) throws SQLException {
    Sql.run(connection, "INSERT INTO orders (note) VALUES (?)", note);
    // A snapshot is taken by the first plain read.
    Sql.run(connection, "SELECT * FROM orders");
  }

  private static List<String> orders(String note) throws SQLException {
    return sql.texts("SELECT id FROM orders WHERE note = ?", note);
  }

  @BeforeEach
  void onlyOnMariaDb(TestDatabase database) {
    assumeTrue(database.isMariaDb(), "MySQL has no such setting");
  }

  @ParameterizedTest
  @EnumSource
  void aCallerWithAnOldSnapshotHearsToRepeatTheTransaction(Use use) throws Exception {
    String name = "within_" + use.filterName();
    BloomFilter<String> others = elsewhere.reserve(name, use.spec(KeyType.text()));
    BloomFilter<String> filter = use.open(here, name);
    try (Connection connection = begin()) {
      order(connection, name);
      assertThat(others.add("other")).isTrue();
      WriteFailedException failure =
          catchThrowableOfType(
              WriteFailedException.class, () -> filter.within(connection).add("mine"));
      assertThat(failure.outcome()).isEqualTo(Outcome.NOT_RECORDED);
      assertThat(failure).hasMessageContainingAll(name, "1020", "repeat all of it");
      // Even a caller who does not listen loses what the message says, and nothing else.
      connection.commit();
      assertThat(orders(name)).isEmpty();
      assertThat(here.info(others.name()).keysAdded()).isEqualTo(1);
      assertThat(others.mightContain("mine")).isFalse();

      // The first fold writes every row, and would be one more change that the snapshot lacks.
      here.admin(others.name()).fold();
      order(connection, name);
      assertThat(filter.within(connection).addEach(List.of("mine", "other")))
          .containsExactly(true, false);
      connection.commit();
    }
    assertThat(orders(name)).hasSize(1);
    assertThat(here.info(others.name()).keysAdded()).isEqualTo(2);
    assertThat(others.mightContain("mine")).isTrue();
  }

  @ParameterizedTest
  @EnumSource
  void ownTransactionsKeepNoSnapshot(Use use) throws Exception {
    String name = "queued_" + use.filterName();
    elsewhere.reserve(name, use.spec(KeyType.text())).close();
    BloomFilter<String> filter = use.open(here, name);
    assertThat(filter.add("before")).isTrue();
    retried.clear();
    CompletableFuture<boolean[]> adds;
    try (Connection other = ByHand.holdingLockOf(name, schema.dataSource().getConnection())) {
      adds = CompletableFuture.supplyAsync(() -> filter.addEach(List.of("theirs", "mine")));
      LockWaits.awaitOneForAFilter(sql);
      // The row that is waited for changes meanwhile.
      ByHand.append(other, name, "theirs", 77);
      other.commit();
    }
    assertThat(adds.get(60, TimeUnit.SECONDS)).containsExactly(false, true);
    here.admin(filter.name()).fold();
    assertThat(filter.mightContainEach(List.of("before", "theirs", "mine"))).containsOnly(true);
    assertThat(here.info(filter.name()).keysAdded()).isEqualTo(3);
    assertThat(retried).isEmpty();
  }
}
