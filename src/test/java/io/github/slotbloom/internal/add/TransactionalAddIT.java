package io.github.slotbloom.internal.add;

import static io.github.slotbloom.testing.FilterNames.newName;
import static io.github.slotbloom.testing.Keys.keys;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import io.github.slotbloom.BloomFilter;
import io.github.slotbloom.FilterSpec;
import io.github.slotbloom.SlotBloom;
import io.github.slotbloom.SlotBloomEvent;
import io.github.slotbloom.TransactionalWrites;
import io.github.slotbloom.core.KeyType;
import io.github.slotbloom.core.OnFull;
import io.github.slotbloom.testing.CallersTransactions;
import io.github.slotbloom.testing.DatabaseContract;
import io.github.slotbloom.testing.Fixture;
import io.github.slotbloom.testing.Instances;
import io.github.slotbloom.testing.OddHours;
import io.github.slotbloom.testing.Sql;
import io.github.slotbloom.testing.TestDatabase;
import io.github.slotbloom.testing.Use;
import java.sql.Connection;
import java.sql.Savepoint;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jooq.SQLDialect;
import org.jooq.impl.DSL;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Answers to adds that take part in a transaction of the caller's. */
@OddHours
@DatabaseContract
@Tag("mysql")
class TransactionalAddIT extends CallersTransactions {

  @Fixture private static Instances instances;

  @ParameterizedTest
  @MethodSource("everyUseAndLevel")
  void everyProcessFindsKeysOnceTheCallerCommits(Use use, Isolation isolation) throws Exception {
    BloomFilter<String> filter = reserve(use);
    BloomFilter<String> elsewhere = openThere(filter);
    int order;
    try (Connection connection = begin(isolation)) {
      order = order(connection);
      assertThat(filter.within(connection).add("a")).isTrue();
      assertThat(filter.within(connection).filterNew(List.of("c", "a", "b", "c")))
          .containsExactly("c", "b");
      connection.commit();
    }
    assertThat(ordered(order)).isTrue();
    assertThat(elsewhere.mightContainEach(List.of("a", "b", "c"))).containsOnly(true);
    assertThat(filter.mightContainEach(List.of("a", "b", "c"))).containsOnly(true);
    assertThat(elsewhere.addEach(List.of("a", "b", "c"))).containsOnly(false);
    assertThat(filter.addEach(List.of("a", "b", "c", "d")))
        .containsExactly(false, false, false, true);
    assertThat(here.info(filter.name()).keysAdded()).isEqualTo(4);
  }

  @ParameterizedTest
  @MethodSource("usesAtOneLevel")
  void aTransactionSeesItsOwnAddsUpToItsSavepoint(Use use, Isolation isolation) throws Exception {
    BloomFilter<String> filter = reserve(use);
    try (Connection connection = begin(isolation)) {
      TransactionalWrites<String> adds = filter.within(connection);
      assertThat(adds.add("a")).isTrue();
      assertThat(adds.add("a")).isFalse();
      assertThat(filter.within(connection).addEach(List.of("b", "a"))).containsExactly(true, false);
      Savepoint before = connection.setSavepoint();
      assertThat(adds.addEach(List.of("a", "b", "c"))).containsExactly(false, false, true);
      connection.rollback(before);
      assertThat(adds.addEach(List.of("a", "b", "c", "d")))
          .containsExactly(false, false, true, true);
      connection.commit();
    }
    assertThat(here.info(filter.name()).keysAdded()).isEqualTo(4);
    assertThat(here.info(filter.name()).lastSequence()).isEqualTo(3);
  }

  @Test
  void aListOfAnySizeIsAddedWhollyOrNotAtAll() throws Exception {
    List<String> keys = keys("k", BloomFilter.MAX_KEYS_PER_TRANSACTION + 500);
    BloomFilter<String> filter = reserve(Use.MIRRORED, keys.size());
    try (Connection connection = begin(Isolation.REPEATABLE_READ)) {
      TransactionalWrites<String> adds = filter.within(connection);
      assertThat(adds.addEach(keys)).containsOnly(true);
      assertThat(adds.filterNew(keys)).isEmpty();
      connection.rollback();
      assertThat(here.info(filter.name()).keysAdded()).isZero();
      assertThat(adds.filterNew(keys)).isEqualTo(keys);
      connection.commit();
    }
    assertThat(here.info(filter.name()).keysAdded()).isEqualTo(keys.size());
    assertThat(filter.mightContainEach(keys)).containsOnly(true);
  }

  /** The pool is one connection, and the caller has it: the mirror hears nothing of the others. */
  @ParameterizedTest
  @MethodSource("everyUseAndLevel")
  void keysCommittedAfterTheSnapshotAreSeenWithoutASecondConnection(Use use, Isolation isolation)
      throws Exception {
    BloomFilter<String> elsewhere = openThere(reserve(use));
    HikariDataSource pool = schema.pool(settings -> settings.setMaximumPoolSize(1));
    try (SlotBloom bloom = SlotBloom.on(pool)) {
      BloomFilter<String> filter = use.open(bloom, elsewhere.name());
      try (Connection connection = begin(pool.getConnection(), isolation)) {
        takeSnapshot(connection);
        elsewhere.addEach(List.of("folded 1", "folded 2"));
        here.admin(elsewhere.name()).fold();
        elsewhere.addEach(List.of("in the journal"));
        assertThat(
                filter
                    .within(connection)
                    .addEach(List.of("folded 1", "in the journal", "a", "folded 2")))
            .containsExactly(false, false, true, false);
        connection.commit();
      }
      assertThat(filter.mightContainEach(List.of("folded 1", "in the journal", "a")))
          .containsOnly(true);
      assertThat(here.info(filter.name()).keysAdded()).isEqualTo(4);
    }
  }

  @Test
  void addedKeysAreFoldedSoon() throws Exception {
    BloomFilter<String> filter = reserve(Use.MIRRORED);
    try (Connection connection = begin(Isolation.REPEATABLE_READ)) {
      assertThat(filter.within(connection).addEach(keys("k", 20))).containsOnly(true);
      connection.commit();
    }
    await()
        .untilAsserted(
            () -> {
              assertThat(here.info(filter.name()).backlog()).isZero();
              assertThat(here.info(filter.name()).estimatedKeys()).isBetween(19.0, 21.0);
            });
    // And it takes the next ordinary add.
    filter.add("next");
    assertThat(filter.mightContain("next")).isTrue();
  }

  @Test
  void theCommitMakesSeenKeysDurable(TestDatabase database) throws Exception {
    BloomFilter<String> elsewhere = openThere(reserve(Use.MIRRORED));
    Sql admin = new Sql(database.admin());
    String ticks = "SELECT durable_ticks FROM bloom_filter WHERE name = ?";
    admin.run("SET GLOBAL sync_binlog = 0");
    HikariDataSource pool = schema.pool(settings -> settings.setMaximumPoolSize(1));
    try (SlotBloom bloom = SlotBloom.on(pool)) {
      for (Use use : List.of(Use.MIRRORED, Use.DIRECT)) {
        BloomFilter<String> filter = use.open(bloom, elsewhere.name());
        try (Connection connection = begin(pool.getConnection(), Isolation.REPEATABLE_READ)) {
          elsewhere.add("seen " + use);
          long before = sql.number(ticks, elsewhere.name());
          assertThat(filter.within(connection).add("seen " + use)).isFalse();
          connection.commit();
          assertThat(sql.number(ticks, elsewhere.name())).isEqualTo(before + 1);
        }
      }
    } finally {
      admin.run("SET GLOBAL sync_binlog = 1");
    }
  }

  @Test
  void theListenerHearsOfAFullFilterAfterTheCommit() throws Exception {
    List<String> told = new CopyOnWriteArrayList<>();
    SlotBloom listening =
        instances.another(
            pool -> {},
            settings ->
                settings.listener(
                    event -> {
                      if (event instanceof SlotBloomEvent.CapacityReached full) {
                        told.add(
                            full.filter() + " holds " + full.keys() + " of " + full.capacity());
                      }
                    }));
    String name = newName();
    BloomFilter<String> filter =
        listening.reserve(
            name, FilterSpec.builder(KeyType.text()).capacity(10).onFull(OnFull.DEGRADE).build());
    try (Connection connection = begin(Isolation.READ_COMMITTED)) {
      filter.within(connection).addEach(keys("k", 10));
      connection.commit();
    }
    await().untilAsserted(() -> assertThat(told).containsExactly(name + " holds 10 of 10"));
  }

  @Test
  void statementsMayBePreparedOnTheServer() throws Exception {
    BloomFilter<String> filter = reserve(Use.MIRRORED);
    openThere(filter).addEach(List.of("a", "b"));
    HikariDataSource pool =
        schema.pool(
            settings -> {
              settings.setMaximumPoolSize(1);
              settings.addDataSourceProperty("useServerPrepStmts", "true");
            });
    try (Connection connection = begin(pool.getConnection(), Isolation.REPEATABLE_READ)) {
      TransactionalWrites<String> adds = filter.within(connection);
      assertThat(adds.addEach(List.of("a", "c"))).containsExactly(false, true);
      assertThat(adds.addEach(List.of("c", "b", "d"))).containsExactly(false, false, true);
      connection.commit();
    }
    assertThat(here.info(filter.name()).keysAdded()).isEqualTo(4);
  }

  @Test
  void aKeySharesTheFateOfATransactionOfJooq(TestDatabase database) throws Exception {
    BloomFilter<String> filter = reserve(Use.MIRRORED);
    var jooq =
        DSL.using(
            schema.pool(settings -> settings.setMaximumPoolSize(1)),
            database.isMariaDb() ? SQLDialect.MARIADB : SQLDialect.MYSQL);
    assertThatThrownBy(
            () ->
                jooq.transaction(
                    inside -> {
                      inside.dsl().connection(c -> assertThat(filter.within(c).add("a")).isTrue());
                      throw new IllegalArgumentException("on purpose");
                    }))
        .hasMessageContaining("on purpose");
    assertThat(filter.mightContain("a")).isFalse();
    jooq.transaction(
        inside -> inside.dsl().connection(c -> assertThat(filter.within(c).add("a")).isTrue()));
    assertThat(filter.mightContain("a")).isTrue();
    assertThat(here.info(filter.name()).keysAdded()).isEqualTo(1);
  }
}
