package io.github.slotbloom.internal.add;

import static io.github.slotbloom.testing.Calls.get;
import static io.github.slotbloom.testing.Calls.inBackground;
import static io.github.slotbloom.testing.FilterNames.newName;
import static io.github.slotbloom.testing.Keys.keys;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.zaxxer.hikari.HikariDataSource;
import io.github.slotbloom.BloomFilter;
import io.github.slotbloom.SlotBloom;
import io.github.slotbloom.TransactionalWrites;
import io.github.slotbloom.core.KeyType;
import io.github.slotbloom.error.FilterClosedException;
import io.github.slotbloom.error.FilterNotFoundException;
import io.github.slotbloom.error.FilterUnavailableException;
import io.github.slotbloom.error.TransactionStateException;
import io.github.slotbloom.error.WriteFailedException;
import io.github.slotbloom.error.WriteFailedException.Outcome;
import io.github.slotbloom.testing.ByHand;
import io.github.slotbloom.testing.CallersTransactions;
import io.github.slotbloom.testing.DatabaseContract;
import io.github.slotbloom.testing.LockWaits;
import io.github.slotbloom.testing.SessionSettings;
import io.github.slotbloom.testing.ShortLease;
import io.github.slotbloom.testing.Sql;
import io.github.slotbloom.testing.TestDatabase;
import io.github.slotbloom.testing.TestSchema;
import io.github.slotbloom.testing.Use;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.platform.commons.support.ReflectionSupport;

/** Adds in a transaction of the caller's that fail, and what remains of the transaction. */
@DatabaseContract
class TransactionalAddFailuresIT extends CallersTransactions {

  /** Not rollback(Savepoint): pools have taken a connection for clean after it. */
  private static final Set<String> ALLOWED =
      Set.of(
          "getAutoCommit",
          "createStatement",
          "prepareStatement",
          "getCatalog",
          "isClosed",
          "isWrapperFor",
          "unwrap");

  @ParameterizedTest
  @EnumSource
  void aConnectionInAutocommitModeIsRefused(Use use) throws Exception {
    BloomFilter<String> filter = reserve(use);
    filter.add("known");
    try (Connection connection = schema.dataSource().getConnection()) {
      TransactionalWrites<String> adds = filter.within(connection);
      for (String key : List.of("a", "known")) {
        assertThatThrownBy(() -> adds.add(key))
            .isInstanceOf(TransactionStateException.class)
            .hasMessageContainingAll(filter.name(), "setAutoCommit(false)");
      }
      // The driver does not notice that.
      connection.setAutoCommit(false);
      Sql.run(connection, "SET autocommit = 1");
      assertThat(connection.getAutoCommit()).isFalse();
      assertThatThrownBy(() -> adds.addEach(List.of("a", "b")))
          .isInstanceOf(TransactionStateException.class);
    }
    assertThat(here.info(filter.name()).keysAdded()).isEqualTo(1);
    assertThat(here.info(filter.name()).lastSequence()).isEqualTo(1);
    assertThat(filter.add("a")).isTrue();
  }

  @Test
  void aConnectionToAnotherSchemaIsRefused(TestDatabase database) throws Exception {
    try (TestSchema one = database.createSchema();
        TestSchema other = database.createSchema();
        TestSchema empty = database.createSchema();
        SlotBloom bloom = SlotBloom.on(one.pool(pool -> pool.setMaximumPoolSize(2)));
        SlotBloom twin = SlotBloom.on(other.pool(pool -> pool.setMaximumPoolSize(2)))) {
      bloom.migrate();
      twin.migrate();
      BloomFilter<String> filter = Use.MIRRORED.reserve(bloom, "same");
      BloomFilter<String> same = Use.MIRRORED.reserve(twin, "same");
      assertThat(twin.info("same").id()).isEqualTo(bloom.info("same").id());
      for (TestSchema wrong : List.of(other, empty)) {
        try (Connection connection = wrong.dataSource().getConnection()) {
          connection.setAutoCommit(false);
          assertThatThrownBy(() -> filter.within(connection).add("a"))
              .isInstanceOf(FilterNotFoundException.class)
              .hasMessageContainingAll("same", connection.getCatalog());
          connection.commit();
        }
      }
      assertThat(same.mightContain("a")).isFalse();
      assertThat(bloom.info("same").keysAdded()).isZero();
    }
  }

  @ParameterizedTest
  @MethodSource("usesAtOneLevel")
  void aPlainAddOfTheThreadThatHoldsTheLockEndsInTimeAndTellsOfTheLock(Use use, Isolation isolation)
      throws Exception {
    BloomFilter<String> filter = reserve(use);
    BloomFilter<String> hasty = use.open(here, filter.name(), Duration.ofMillis(500));
    try (Connection connection = begin(isolation)) {
      TransactionalWrites<String> adds = hasty.within(connection);
      assertThat(adds.add("a")).isTrue();
      WriteFailedException failure =
          catchThrowableOfType(WriteFailedException.class, () -> hasty.add("b"));
      assertThat(failure.outcome()).isEqualTo(Outcome.NOT_RECORDED);
      assertThat(failure)
          .hasMessageContainingAll(filter.name(), "another transaction holds the lock", "500 ms");
      assertThat(adds.add("b")).isTrue();
      connection.commit();
      assertThat(filter.add("b")).isFalse();
      assertThat(filter.add("c")).isTrue();
    }
    assertThat(here.info(filter.name()).keysAdded()).isEqualTo(3);
  }

  @Test
  void aThreadThatHoldsTheLastConnectionHearsSoInTime() throws Exception {
    HikariDataSource pool = schema.pool(settings -> settings.setMaximumPoolSize(1));
    try (SlotBloom bloom = SlotBloom.on(pool)) {
      String name = reserve(Use.MIRRORED).name();
      BloomFilter<String> hasty = Use.MIRRORED.open(bloom, name, Duration.ofMillis(500));
      try (Connection connection = begin(pool.getConnection(), Isolation.READ_COMMITTED)) {
        TransactionalWrites<String> adds = hasty.within(connection);
        assertThatThrownBy(() -> hasty.mightContain("a"))
            .isInstanceOf(FilterUnavailableException.class)
            .hasMessageContainingAll(
                name, "within 500 ms", "the pool has a connection that is not held");
        assertThatThrownBy(() -> hasty.add("a"))
            .isInstanceOf(WriteFailedException.class)
            .hasMessageContainingAll(name, "within 500 ms", "pool");
        assertThat(adds.add("a")).isTrue();
        connection.commit();
      }
      assertThat(hasty.mightContain("a")).isTrue();
      assertThat(hasty.add("b")).isTrue();
    }
  }

  /** Without a mirror an add waits for a fold as well. */
  @ParameterizedTest
  @EnumSource
  @Timeout(45)
  void aCallWaitsNoLongerThanTheFiltersTimeoutAndTheTransactionGoesOn(Use use) throws Exception {
    BloomFilter<String> filter = reserve(use);
    BloomFilter<String> hasty = use.open(here, filter.name(), Duration.ofMillis(500));
    try (Connection lock = schema.dataSource().getConnection();
        Connection connection = begin(Isolation.REPEATABLE_READ)) {
      if (use.mirrored) {
        ByHand.holdingLockOf(filter.name(), lock);
      } else {
        ByHand.holdingFoldLockOf(here.info(filter.name()).id(), lock);
      }
      int order = order(connection);
      WriteFailedException failure =
          catchThrowableOfType(
              WriteFailedException.class,
              () -> hasty.within(connection).addEach(List.of("a", "b")));
      assertThat(failure.outcome()).isEqualTo(Outcome.NOT_RECORDED);
      assertThat(failure.durableKeys()).isZero();
      assertThat(failure)
          .hasMessageContainingAll(
              filter.name(),
              "another transaction held the filter's lock",
              "what the transaction did before remains");
      lock.rollback();
      assertThat(filter.within(connection).add("a")).isTrue();
      connection.commit();
      assertThat(ordered(order)).isTrue();
    }
    assertThat(here.info(filter.name()).keysAdded()).isEqualTo(1);
  }

  @ParameterizedTest
  @MethodSource("usesAtOneLevel")
  void anAddThatFailedUnderTheLockLeavesNothing(Use use, Isolation isolation) throws Exception {
    BloomFilter<String> filter = reserve(use);
    int order;
    try (Connection connection = begin(isolation)) {
      order = order(connection);
      assertThat(filter.within(connection).add("before")).isTrue();
      connection.commit();
      int second = order(connection);
      obstruct(filter, connection);
      assertThatThrownBy(() -> filter.within(connection).add("a"))
          .isInstanceOf(WriteFailedException.class)
          .hasMessageContainingAll(
              "row 0 of the filter in bloom_journal does not match its entries",
              "what the transaction did before remains");
      assertThat(Sql.run(connection, "DELETE FROM bloom_journal WHERE token = 7")).isEqualTo(1);
      connection.commit();
      assertThat(ordered(second)).isTrue();
    }
    assertThat(ordered(order)).isTrue();
    assertThat(here.info(filter.name()).keysAdded()).isEqualTo(1);
    assertThat(here.info(filter.name()).lastSequence()).isEqualTo(1);
    assertThat(filter.addEach(List.of("before", "a"))).containsExactly(false, true);
  }

  @Test
  void aDeadlockVictimHearsToRepeatTheTransaction() throws Exception {
    BloomFilter<String> filter = reserve(Use.MIRRORED);
    int contested;
    int lost;
    try (Connection setUp = schema.dataSource().getConnection()) {
      contested = order(setUp);
    }
    try (Connection light = begin(Isolation.REPEATABLE_READ);
        Connection heavy = begin(Isolation.REPEATABLE_READ)) {
      // The server spares the one that changed more.
      for (int i = 0; i < 300; i++) {
        order(heavy);
      }
      assertThat(filter.within(heavy).add("a")).isTrue();
      lost = order(light);
      Sql.run(light, "UPDATE orders SET note = 1 WHERE id = ?", contested);
      CompletableFuture<Integer> updated =
          inBackground(() -> Sql.run(heavy, "UPDATE orders SET note = 2 WHERE id = ?", contested));
      LockWaits.awaitOne("UPDATE orders%", sql);
      WriteFailedException failure =
          catchThrowableOfType(WriteFailedException.class, () -> filter.within(light).add("b"));
      assertThat(failure.outcome()).isEqualTo(Outcome.NOT_RECORDED);
      assertThat(failure).hasMessageContainingAll("1213", "repeat all of it");
      light.commit();
      get(updated);
      heavy.commit();
    }
    assertThat(ordered(lost)).isFalse();
    assertThat(sql.number("SELECT note FROM orders WHERE id = ?", contested)).isEqualTo(2);
    assertThat(here.info(filter.name()).keysAdded()).isEqualTo(1);
  }

  @Test
  void anErrorTellsOfALostConnection() throws Exception {
    BloomFilter<String> filter = reserve(Use.MIRRORED);
    try (Connection connection = begin(Isolation.REPEATABLE_READ)) {
      TransactionalWrites<String> adds = filter.within(connection);
      assertThat(adds.add("a")).isTrue();
      sql.run("KILL " + read(connection, "SELECT CONNECTION_ID()"));
      assertThatThrownBy(() -> adds.add("b"))
          .isInstanceOf(WriteFailedException.class)
          .hasMessageContaining("repeat all of it");
    }
    assertThat(filter.addEach(List.of("a", "b"))).containsOnly(true);
    assertThat(here.info(filter.name()).keysAdded()).isEqualTo(2);
  }

  @Test
  void anErrorTellsOfAReadOnlyTransaction() throws Exception {
    BloomFilter<String> filter = reserve(Use.MIRRORED);
    try (Connection connection = begin(Isolation.REPEATABLE_READ)) {
      Sql.run(connection, "SET SESSION TRANSACTION READ ONLY");
      assertThatThrownBy(() -> filter.within(connection).add("a"))
          .isInstanceOf(WriteFailedException.class)
          .hasMessageContaining("1792");
      connection.rollback();
      // Behind other software the session may go back to a pool.
      Sql.run(connection, "SET SESSION TRANSACTION READ WRITE");
    }
    assertThat(filter.add("a")).isTrue();
  }

  /**
   * Neither the driver nor a proxy around it is asked for more than statements, and for what is
   * behind the proxy. That changes no setting.
   */
  @ParameterizedTest
  @MethodSource("usesAtOneLevel")
  void settingsOfTheConnectionStayAsTheyAre(Use use, Isolation isolation) throws Exception {
    BloomFilter<String> filter = reserve(use);
    openThere(filter).addEach(keys("old", 50));
    here.admin(filter.name()).fold();
    try (Connection connection = begin(isolation)) {
      Sql.run(
          connection,
          "SET SESSION sql_mode = 'ANSI,NO_BACKSLASH_ESCAPES', sql_select_limit = 1,"
              + " innodb_lock_wait_timeout = 77, lock_wait_timeout = 88, wait_timeout = 999,"
              + " completion_type = 'CHAIN', sql_safe_updates = 1, time_zone = '+05:00'");
      List<String> before = SessionSettings.of(connection);
      TransactionalWrites<String> adds = filter.within(guarded(connection));
      assertThat(adds.addEach(keys("old", 50))).containsOnly(false);
      assertThat(adds.addEach(keys("new", 300))).containsOnly(true);
      assertThat(filter.within(connection).addEach(keys("new", 300))).containsOnly(false);
      assertThat(SessionSettings.of(connection)).isEqualTo(before);
      obstruct(filter, connection);
      assertThatThrownBy(() -> adds.add("fails")).isInstanceOf(WriteFailedException.class);
      assertThat(SessionSettings.of(connection)).isEqualTo(before);
      assertThat(connection.getAutoCommit()).isFalse();
      assertThat(connection.isClosed()).isFalse();
      connection.rollback();
    }
    assertThat(here.info(filter.name()).keysAdded()).isEqualTo(50);
  }

  private static Connection guarded(Connection connection) {
    return (Connection)
        Proxy.newProxyInstance(
            TransactionalAddFailuresIT.class.getClassLoader(),
            new Class<?>[] {Connection.class},
            (proxy, method, arguments) -> {
              assertThat(ALLOWED).contains(method.getName());
              return ReflectionSupport.invokeMethod(method, connection, arguments);
            });
  }

  @Test
  void aMirrorThatDoesNotFitTheJournalFailsTheAddAndIsReloaded() throws Exception {
    String name = newName();
    here.reserve(name, Use.MIRRORED.spec(KeyType.text())).close();
    ShortLease.of(name, sql);
    BloomFilter<String> elsewhere = there.open(name, KeyType.text());
    elsewhere.add("old");
    HikariDataSource pool = schema.pool(settings -> settings.setMaximumPoolSize(1));
    try (SlotBloom bloom = SlotBloom.on(pool)) {
      BloomFilter<String> filter = bloom.open(elsewhere.name(), KeyType.text());
      assertThat(filter.mightContain("old")).isTrue();

      try (Connection connection = begin(pool.getConnection(), Isolation.REPEATABLE_READ)) {
        here.admin(elsewhere.name()).clear();
        assertUndecided(filter, connection, "old");
      }
      assertAddedAtSecondTry(filter, pool, "old", true);

      try (Connection connection = begin(pool.getConnection(), Isolation.REPEATABLE_READ)) {
        elsewhere.add("trimmed");
        elsewhere.add("kept");
        here.admin(elsewhere.name()).fold();
        ByHand.trimAllButTheLast(here.info(elsewhere.name()), sql);
        assertUndecided(filter, connection, "trimmed");
      }
      assertAddedAtSecondTry(filter, pool, "trimmed", false);
      assertThat(here.info(filter.name()).keysAdded()).isEqualTo(3);
    }
  }

  private static void assertUndecided(BloomFilter<String> filter, Connection connection, String key)
      throws SQLException {
    int order = order(connection);
    assertThatThrownBy(() -> filter.within(connection).add(key))
        .isInstanceOf(WriteFailedException.class)
        .hasMessageContaining("Roll back the transaction and repeat all of it");
    assertThat(read(connection, "SELECT COUNT(*) FROM orders WHERE id = " + order)).isEqualTo("1");
    connection.rollback();
  }

  private static void assertAddedAtSecondTry(
      BloomFilter<String> filter, HikariDataSource pool, String key, boolean isNew)
      throws SQLException {
    // With the connection given back the process hears of the others.
    filter.mightContain(key);
    try (Connection connection = begin(pool.getConnection(), Isolation.REPEATABLE_READ)) {
      assertThat(filter.within(connection).add(key)).isEqualTo(isNew);
      connection.commit();
    }
  }

  @Test
  void aClosedFilterRefusesAdds() throws Exception {
    BloomFilter<String> filter = reserve(Use.MIRRORED);
    try (Connection connection = begin(Isolation.READ_COMMITTED)) {
      TransactionalWrites<String> adds = filter.within(connection);
      filter.close();
      assertThatThrownBy(() -> adds.add("a")).isInstanceOf(FilterClosedException.class);
      assertThatThrownBy(() -> filter.within(connection)).isInstanceOf(FilterClosedException.class);
    }
  }

  @Test
  void aDroppedFilterIsNotFound() throws Exception {
    BloomFilter<String> filter = reserve(Use.DIRECT);
    ShortLease.of(filter.name(), sql);
    try (Connection connection = begin(Isolation.READ_COMMITTED)) {
      there.admin(filter.name()).drop();
      assertThatThrownBy(() -> filter.within(connection).add("a"))
          .isInstanceOf(FilterNotFoundException.class)
          .hasMessageContaining("dropped");
      connection.rollback();
    }
  }
}
