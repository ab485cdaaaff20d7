package io.github.slotbloom.internal.add;

import static io.github.slotbloom.testing.FilterNames.newName;
import static io.github.slotbloom.testing.Keys.keys;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import io.github.slotbloom.BloomFilter;
import io.github.slotbloom.FilterOptions;
import io.github.slotbloom.FilterSpec;
import io.github.slotbloom.Freshness;
import io.github.slotbloom.SlotBloom;
import io.github.slotbloom.SlotBloomListener;
import io.github.slotbloom.TransactionalAdds;
import io.github.slotbloom.core.KeyType;
import io.github.slotbloom.core.WhenFull;
import io.github.slotbloom.error.AddFailedException;
import io.github.slotbloom.error.AddFailedException.Outcome;
import io.github.slotbloom.error.FilterClosedException;
import io.github.slotbloom.error.FilterNotFoundException;
import io.github.slotbloom.error.TransactionRequiredException;
import io.github.slotbloom.testing.BeforeDatabase;
import io.github.slotbloom.testing.ByHand;
import io.github.slotbloom.testing.DatabaseContract;
import io.github.slotbloom.testing.Fixture;
import io.github.slotbloom.testing.Instances;
import io.github.slotbloom.testing.KnownLogs;
import io.github.slotbloom.testing.LockWaits;
import io.github.slotbloom.testing.OddHours;
import io.github.slotbloom.testing.PossibleLog;
import io.github.slotbloom.testing.SessionSettings;
import io.github.slotbloom.testing.Sql;
import io.github.slotbloom.testing.TestDatabase;
import io.github.slotbloom.testing.TestSchema;
import io.github.slotbloom.testing.Use;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.jooq.SQLDialect;
import org.jooq.impl.DSL;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Adds that take part in a transaction of the caller's. */
@DatabaseContract
@Timeout(120)
@PossibleLog(KnownLogs.MIRROR_RELOADED)
@PossibleLog(KnownLogs.FOLDING_FAILED)
@PossibleLog(KnownLogs.WEAK_DURABILITY)
class TransactionalAddIT {

  /** Not rollback(Savepoint): pools have taken a connection for clean after it. */
  private static final Set<String> ALLOWED =
      Set.of("getAutoCommit", "createStatement", "prepareStatement", "getCatalog", "isClosed");

  private static final AtomicInteger NAMES = new AtomicInteger();

  @Fixture private static TestSchema schema;
  @Fixture private static Instances instances;
  @Fixture private static SlotBloom here;
  @Fixture private static SlotBloom there;
  @Fixture private static Sql sql;

  @BeforeDatabase
  static void migrate() throws SQLException {
    sql.run("CREATE TABLE orders (id INT PRIMARY KEY, note INT NOT NULL DEFAULT 0)");
  }

  /** The levels that keep a snapshot, or need none. */
  enum Isolation {
    READ_COMMITTED(Connection.TRANSACTION_READ_COMMITTED),
    REPEATABLE_READ(Connection.TRANSACTION_REPEATABLE_READ),
    SERIALIZABLE(Connection.TRANSACTION_SERIALIZABLE);

    final int level;

    Isolation(int level) {
      this.level = level;
    }
  }

  static Stream<Arguments> everyUseAndLevel() {
    return Arrays.stream(Use.values())
        .flatMap(use -> Arrays.stream(Isolation.values()).map(at -> Arguments.of(use, at)));
  }

  private static BloomFilter<String> reserve(Use use) {
    return reserve(use, Use.CAPACITY);
  }

  private static BloomFilter<String> reserve(Use use, long capacity) {
    String name = newName();
    here.reserve(name, use.spec(KeyType.text(), capacity)).close();
    return here.open(name, KeyType.text(), use.options());
  }

  private static BloomFilter<String> openThere(BloomFilter<String> filter) {
    return there.open(filter.name(), KeyType.text());
  }

  private static Connection begin(Isolation isolation) throws SQLException {
    return begin(schema.dataSource().getConnection(), isolation);
  }

  private static Connection begin(Connection connection, Isolation isolation) throws SQLException {
    connection.setTransactionIsolation(isolation.level);
    connection.setAutoCommit(false);
    return connection;
  }

  /** Where the level keeps a snapshot, it is taken by this. */
  private static void takeSnapshot(Connection connection) throws SQLException {
    assertThat(read(connection, "SELECT COUNT(*) FROM orders WHERE id < 0")).isEqualTo("0");
  }

  private static String read(Connection connection, String query) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(query);
        ResultSet row = statement.executeQuery()) {
      row.next();
      return row.getString(1);
    }
  }

  private static int order(Connection connection) throws SQLException {
    int id = NAMES.incrementAndGet();
    Sql.run(connection, "INSERT INTO orders (id) VALUES (?)", id);
    return id;
  }

  private static boolean ordered(int id) throws SQLException {
    return sql.number("SELECT COUNT(*) FROM orders WHERE id = ?", id) == 1;
  }

  private static <T> CompletableFuture<T> inBackground(Callable<T> work) {
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
  private static void awaitLockWait(CompletableFuture<?> waiting) {
    LockWaits.awaitOneForAFilter(sql);
    assertThat(waiting).isNotDone();
  }

  private static <T> T get(CompletableFuture<T> outcome) throws Exception {
    return outcome.get(30, TimeUnit.SECONDS);
  }

  @OddHours
  @ParameterizedTest
  @MethodSource("everyUseAndLevel")
  void keysAreThereForEveryoneOnceTheCallerCommits(Use use, Isolation isolation) throws Exception {
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
    assertThat(filter.info().keysAdded()).isEqualTo(4);
  }

  @ParameterizedTest
  @MethodSource("everyUseAndLevel")
  void keysOfARolledBackTransactionAreNewAgain(Use use, Isolation isolation) throws Exception {
    BloomFilter<String> filter = reserve(use);
    BloomFilter<String> elsewhere = openThere(filter);
    assertThat(filter.add("kept")).isTrue();
    try (Connection connection = begin(isolation)) {
      TransactionalAdds<String> adds = filter.within(connection);
      assertThat(adds.addEach(List.of("a", "kept", "b"))).containsExactly(true, false, true);
      connection.rollback();
      assertThat(filter.info().keysAdded()).isEqualTo(1);
      // The same adds, in a transaction that comes after.
      assertThat(adds.addEach(List.of("a", "kept"))).containsExactly(true, false);
      connection.rollback();
      assertThat(filter.mightContainEach(List.of("a", "b"))).containsOnly(false);
      assertThat(elsewhere.mightContainEach(List.of("a", "b"))).containsOnly(false);
      assertThat(elsewhere.add("a")).isTrue();
      assertThat(filter.addEach(List.of("a", "b"))).containsExactly(false, true);
      assertThat(adds.addEach(List.of("a", "b", "c"))).containsExactly(false, false, true);
      connection.commit();
    }
    assertThat(filter.info().keysAdded()).isEqualTo(4);
    assertThat(elsewhere.mightContainEach(List.of("a", "b", "c", "kept"))).containsOnly(true);
  }

  @ParameterizedTest
  @MethodSource("everyUseAndLevel")
  void aTransactionSeesWhatItAddedAndNotWhatItTookBack(Use use, Isolation isolation)
      throws Exception {
    BloomFilter<String> filter = reserve(use);
    try (Connection connection = begin(isolation)) {
      TransactionalAdds<String> adds = filter.within(connection);
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
    assertThat(filter.info().keysAdded()).isEqualTo(4);
    assertThat(filter.info().lastSequence()).isEqualTo(3);
  }

  @ParameterizedTest
  @EnumSource
  void aListOfAnySizeIsAllOrNothing(Use use) throws Exception {
    List<String> keys = keys("k", BloomFilter.MAX_KEYS_PER_TRANSACTION + 500);
    BloomFilter<String> filter = reserve(use, keys.size());
    try (Connection connection = begin(Isolation.REPEATABLE_READ)) {
      TransactionalAdds<String> adds = filter.within(connection);
      assertThat(adds.addEach(keys)).containsOnly(true);
      assertThat(adds.filterNew(keys)).isEmpty();
      connection.rollback();
      assertThat(filter.info().keysAdded()).isZero();
      assertThat(adds.filterNew(keys)).isEqualTo(keys);
      connection.commit();
    }
    assertThat(filter.info().keysAdded()).isEqualTo(keys.size());
    assertThat(filter.mightContainEach(keys)).containsOnly(true);
  }

  @Test
  void manySmallAddsAreReadBackWhereTheyAreNotRemembered() throws Exception {
    for (Use use : List.of(Use.MIRRORED, Use.DIRECT)) {
      BloomFilter<String> filter = reserve(use);
      List<String> keys = keys("k", 300);
      try (Connection connection = begin(Isolation.REPEATABLE_READ)) {
        TransactionalAdds<String> adds = filter.within(connection);
        for (String key : keys) {
          assertThat(adds.add(key)).isTrue();
        }
        assertThat(filter.within(connection).addEach(keys)).containsOnly(false);
        connection.commit();
      }
      assertThat(filter.addEach(keys)).containsOnly(false);
    }
  }

  /** The pool is one connection, and the caller has it: the mirror hears nothing of the others. */
  @ParameterizedTest
  @MethodSource("everyUseAndLevel")
  void whatOthersCommittedAfterTheSnapshotIsSeenWithoutASecondConnection(
      Use use, Isolation isolation) throws Exception {
    BloomFilter<String> elsewhere = openThere(reserve(use));
    HikariDataSource pool = schema.pool(settings -> settings.setMaximumPoolSize(1));
    try (SlotBloom bloom = SlotBloom.on(pool)) {
      BloomFilter<String> filter = bloom.open(elsewhere.name(), KeyType.text(), use.options());
      try (Connection connection = begin(pool.getConnection(), isolation)) {
        takeSnapshot(connection);
        elsewhere.addEach(List.of("folded 1", "folded 2"));
        elsewhere.fold();
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
      assertThat(filter.info().keysAdded()).isEqualTo(4);
    }
  }

  @ParameterizedTest
  @MethodSource("everyUseAndLevel")
  void ofTwoTransactionsThatCannotSeeEachOtherOneWins(Use use, Isolation isolation)
      throws Exception {
    BloomFilter<String> filter = reserve(use);
    BloomFilter<String> elsewhere = there.open(filter.name(), KeyType.text(), use.options());
    try (Connection first = begin(isolation);
        Connection second = begin(isolation)) {
      takeSnapshot(first);
      takeSnapshot(second);
      assertThat(filter.within(first).add("x")).isTrue();
      CompletableFuture<Boolean> waiting = inBackground(() -> elsewhere.within(second).add("x"));
      awaitLockWait(waiting);
      first.commit();
      assertThat(get(waiting)).isFalse();
      second.commit();

      takeSnapshot(first);
      takeSnapshot(second);
      assertThat(filter.within(first).add("y")).isTrue();
      CompletableFuture<Boolean> heir = inBackground(() -> elsewhere.within(second).add("y"));
      awaitLockWait(heir);
      first.rollback();
      assertThat(get(heir)).isTrue();
      second.commit();
    }
    assertThat(filter.info().keysAdded()).isEqualTo(2);
    assertThat(filter.mightContainEach(List.of("x", "y"))).containsOnly(true);
  }

  @ParameterizedTest
  @EnumSource
  void otherWritersWaitAndNoneOfThemIsToldBeforeTheEnd(Use use) throws Exception {
    BloomFilter<String> filter = reserve(use);
    BloomFilter<String> elsewhere = openThere(filter);
    for (boolean commits : new boolean[] {true, false}) {
      String key = "commits " + commits;
      try (Connection connection = begin(Isolation.REPEATABLE_READ)) {
        assertThat(filter.within(connection).add(key)).isTrue();
        CompletableFuture<Boolean> sameProcess = filter.addAsync(key);
        CompletableFuture<Boolean> otherProcess = elsewhere.addAsync(key);
        awaitLockWait(sameProcess);
        assertThat(otherProcess).isNotDone();
        if (commits) {
          connection.commit();
        } else {
          connection.rollback();
        }
        assertThat(List.of(get(sameProcess), get(otherProcess)))
            .containsExactlyInAnyOrder(!commits, false);
      }
    }
    assertThat(filter.info().keysAdded()).isEqualTo(2);
  }

  @Test
  void whoWaitsInVainIsToldWhomFor() throws Exception {
    BloomFilter<String> filter = reserve(Use.MIRRORED);
    BloomFilter<String> hasty =
        there.open(
            filter.name(),
            KeyType.text(),
            FilterOptions.defaults().timeout(Duration.ofMillis(600)));
    try (Connection connection = begin(Isolation.REPEATABLE_READ)) {
      assertThat(filter.within(connection).add("a")).isTrue();
      assertThatThrownBy(() -> hasty.add("b"))
          .isInstanceOf(AddFailedException.class)
          .hasMessageContaining("BloomFilter.within");
      connection.rollback();
    }
    assertThat(hasty.mightContain("b")).isFalse();
  }

  @ParameterizedTest
  @EnumSource
  void nobodySeesAKeyBeforeTheCommitAndEveryoneAfter(Use use) throws Exception {
    BloomFilter<String> filter = reserve(use);
    Duration bound = Duration.ofSeconds(1);
    BloomFilter<String> bounded =
        here.open(filter.name(), KeyType.text(), use.options().freshness(Freshness.bounded(bound)));
    List<BloomFilter<String>> all = List.of(filter, bounded, openThere(filter));
    try (Connection connection = begin(Isolation.REPEATABLE_READ)) {
      TransactionalAdds<String> adds = filter.within(connection);
      assertThat(adds.addEach(List.of("a", "b"))).containsOnly(true);
      assertThat(adds.add("a")).isFalse();
      for (BloomFilter<String> each : all) {
        assertThat(each.mightContainEach(List.of("a", "b"))).containsOnly(false);
        assertThat(each.mightContain("a")).isFalse();
      }
      connection.commit();
      assertThat(filter.mightContain("a")).isTrue();
      assertThat(all.get(2).mightContain("b")).isTrue();
      await().atMost(Duration.ofSeconds(20)).until(() -> bounded.mightContain("a"));
    }
  }

  @Test
  void aKeyThatTheMirrorKnowsIsAnsweredWithoutTheLock() throws Exception {
    BloomFilter<String> filter = reserve(Use.MIRRORED);
    filter.addEach(List.of("known", "known too"));
    try (Connection lock = schema.dataSource().getConnection();
        Connection connection = begin(Isolation.REPEATABLE_READ)) {
      ByHand.holdingLockOf(filter.name(), lock);
      Sql.run(connection, "SET SESSION innodb_lock_wait_timeout = 1");
      TransactionalAdds<String> adds = filter.within(connection);
      // After a pause of this process the mirror may have to hear of the database first.
      await().ignoreExceptionsInstanceOf(AddFailedException.class).until(() -> !adds.add("known"));
      assertThat(adds.addEach(List.of("known too", "known"))).containsOnly(false);
      assertThatThrownBy(() -> adds.add("not known")).isInstanceOf(AddFailedException.class);
      lock.rollback();
      connection.rollback();
    }
    assertThat(filter.info().keysAdded()).isEqualTo(2);
  }

  @ParameterizedTest
  @EnumSource
  void aConnectionInAutocommitModeIsRefused(Use use) throws Exception {
    BloomFilter<String> filter = reserve(use);
    filter.add("known");
    try (Connection connection = schema.dataSource().getConnection()) {
      TransactionalAdds<String> adds = filter.within(connection);
      for (String key : List.of("a", "known")) {
        assertThatThrownBy(() -> adds.add(key))
            .isInstanceOf(TransactionRequiredException.class)
            .hasMessageContaining(filter.name())
            .hasMessageContaining("setAutoCommit(false)");
      }
      // The driver does not notice that.
      connection.setAutoCommit(false);
      Sql.run(connection, "SET autocommit = 1");
      assertThat(connection.getAutoCommit()).isFalse();
      assertThatThrownBy(() -> adds.addEach(List.of("a", "b")))
          .isInstanceOf(TransactionRequiredException.class);
    }
    assertThat(filter.info().keysAdded()).isEqualTo(1);
    assertThat(filter.info().lastSequence()).isEqualTo(1);
    assertThat(filter.add("a")).isTrue();
  }

  @ParameterizedTest
  @EnumSource
  void aConnectionToAnotherSchemaIsRefused(Use use, TestDatabase database) throws Exception {
    try (TestSchema one = database.createSchema();
        TestSchema other = database.createSchema();
        TestSchema empty = database.createSchema();
        SlotBloom bloom = SlotBloom.on(one.pool(pool -> pool.setMaximumPoolSize(2)));
        SlotBloom twin = SlotBloom.on(other.pool(pool -> pool.setMaximumPoolSize(2)))) {
      bloom.migrate();
      twin.migrate();
      bloom.reserve("same", use.spec(KeyType.text())).close();
      BloomFilter<String> filter = bloom.open("same", KeyType.text(), use.options());
      BloomFilter<String> same = twin.reserve("same", use.spec(KeyType.text()));
      assertThat(same.info().id()).isEqualTo(filter.info().id());
      for (TestSchema wrong : List.of(other, empty)) {
        try (Connection connection = wrong.dataSource().getConnection()) {
          connection.setAutoCommit(false);
          assertThatThrownBy(() -> filter.within(connection).add("a"))
              .isInstanceOf(FilterNotFoundException.class)
              .hasMessageContaining("same")
              .hasMessageContaining(connection.getCatalog());
          connection.commit();
        }
      }
      assertThat(same.info().keysAdded()).isZero();
      assertThat(filter.info().keysAdded()).isZero();
    }
  }

  @ParameterizedTest
  @EnumSource
  void aTransactionGoesOnAfterAnAddThatFailed(Use use) throws Exception {
    BloomFilter<String> filter = reserve(use);
    int order;
    try (Connection lock = schema.dataSource().getConnection();
        Connection connection = begin(Isolation.REPEATABLE_READ)) {
      ByHand.holdingLockOf(filter.name(), lock);
      order = order(connection);
      Sql.run(connection, "SET SESSION innodb_lock_wait_timeout = 1");
      TransactionalAdds<String> adds = filter.within(connection);
      AddFailedException failure =
          catchThrowableOfType(AddFailedException.class, () -> adds.addEach(List.of("a", "b")));
      assertThat(failure.outcome()).isEqualTo(Outcome.NOT_RECORDED);
      assertThat(failure.durableKeys()).isZero();
      assertThat(failure)
          .hasMessageContaining(filter.name())
          .hasMessageContaining("another transaction held the filter's lock")
          .hasMessageContaining("what the transaction did before stays");
      lock.rollback();
      assertThat(adds.add("a")).isTrue();
      connection.commit();
    }
    assertThat(ordered(order)).isTrue();
    assertThat(filter.info().keysAdded()).isEqualTo(1);
    assertThat(filter.mightContainEach(List.of("a", "b"))).containsExactly(true, false);
  }

  @ParameterizedTest
  @EnumSource
  void aCallWaitsNoLongerThanTheFiltersTimeout(Use use) throws Exception {
    BloomFilter<String> filter = reserve(use);
    BloomFilter<String> hasty =
        here.open(filter.name(), KeyType.text(), use.options().timeout(Duration.ofMillis(500)));
    try (Connection lock = schema.dataSource().getConnection();
        Connection connection = begin(Isolation.REPEATABLE_READ)) {
      ByHand.holdingLockOf(filter.name(), lock);
      int order = order(connection);
      long begun = System.nanoTime();
      assertThatThrownBy(() -> hasty.within(connection).add("a"))
          .isInstanceOf(AddFailedException.class)
          .hasMessageContaining("another transaction held the filter's lock");
      assertThat(Duration.ofNanos(System.nanoTime() - begun))
          .isBetween(Duration.ofMillis(450), Duration.ofSeconds(20));
      lock.rollback();
      connection.commit();
      assertThat(ordered(order)).isTrue();
    }
    assertThat(filter.info().keysAdded()).isZero();
  }

  @Test
  void withoutAMirrorTheWaitForWhoFoldsIsBoundedToo() throws Exception {
    BloomFilter<String> filter = reserve(Use.DIRECT);
    BloomFilter<String> hasty =
        here.open(
            filter.name(),
            KeyType.text(),
            FilterOptions.defaults().withoutMirror().timeout(Duration.ofMillis(500)));
    try (Connection folding = schema.dataSource().getConnection();
        Connection connection = begin(Isolation.REPEATABLE_READ)) {
      ByHand.holdingFoldLockOf(filter.info().id(), folding);
      long begun = System.nanoTime();
      assertThatThrownBy(() -> hasty.within(connection).add("a"))
          .isInstanceOf(AddFailedException.class);
      assertThat(Duration.ofNanos(System.nanoTime() - begun)).isLessThan(Duration.ofSeconds(20));
      folding.rollback();
      assertThat(filter.within(connection).add("a")).isTrue();
      connection.commit();
    }
    assertThat(filter.info().keysAdded()).isEqualTo(1);
  }

  /** An entry in the way makes the append fail, when everything is locked already. */
  private static void obstruct(BloomFilter<String> filter, Connection connection)
      throws SQLException {
    Sql.run(
        connection,
        "INSERT INTO bloom_journal SELECT id, last_seq + 1, 7, last_token, 'ADD', ?,"
            + " UTC_TIMESTAMP(3) FROM bloom_filter WHERE name = ?",
        ByHand.payload(1),
        filter.name());
  }

  @ParameterizedTest
  @MethodSource("everyUseAndLevel")
  void ofAnAddThatFailedUnderTheLockNothingRemains(Use use, Isolation isolation) throws Exception {
    BloomFilter<String> filter = reserve(use);
    int order;
    try (Connection connection = begin(isolation)) {
      order = order(connection);
      assertThat(filter.within(connection).add("before")).isTrue();
      connection.commit();
      int second = order(connection);
      obstruct(filter, connection);
      assertThatThrownBy(() -> filter.within(connection).add("a"))
          .isInstanceOf(AddFailedException.class)
          .hasMessageContaining("1062")
          .hasMessageContaining("what the transaction did before stays");
      assertThat(Sql.run(connection, "DELETE FROM bloom_journal WHERE token = 7")).isEqualTo(1);
      connection.commit();
      assertThat(ordered(second)).isTrue();
    }
    assertThat(ordered(order)).isTrue();
    assertThat(filter.info().keysAdded()).isEqualTo(1);
    assertThat(filter.info().lastSequence()).isEqualTo(1);
    assertThat(filter.addEach(List.of("before", "a"))).containsExactly(false, true);
  }

  @Test
  void aPooledConnectionThatIsOnlyClosedAfterAFailureHoldsNoLock() throws Exception {
    BloomFilter<String> filter = reserve(Use.MIRRORED);
    HikariDataSource pool = schema.pool(settings -> settings.setAutoCommit(false));
    try (Connection connection = pool.getConnection()) {
      obstruct(filter, connection);
      assertThatThrownBy(() -> filter.within(connection).add("a"))
          .isInstanceOf(AddFailedException.class);
    }
    BloomFilter<String> hasty =
        there.open(
            filter.name(), KeyType.text(), FilterOptions.defaults().timeout(Duration.ofSeconds(5)));
    assertThat(hasty.add("a")).isTrue();
  }

  @ParameterizedTest
  @EnumSource
  void theVictimOfADeadlockIsToldToRepeatTheWholeTransaction(Isolation isolation) throws Exception {
    BloomFilter<String> filter = reserve(Use.MIRRORED);
    int contested;
    int lost;
    try (Connection setUp = schema.dataSource().getConnection()) {
      contested = order(setUp);
    }
    try (Connection light = begin(isolation);
        Connection heavy = begin(isolation)) {
      // The server spares the one that changed more.
      for (int i = 0; i < 300; i++) {
        order(heavy);
      }
      assertThat(filter.within(heavy).add("a")).isTrue();
      lost = order(light);
      Sql.run(light, "UPDATE orders SET note = 1 WHERE id = ?", contested);
      CompletableFuture<Integer> updated =
          inBackground(() -> Sql.run(heavy, "UPDATE orders SET note = 2 WHERE id = ?", contested));
      await()
          .until(
              () ->
                  sql.number(
                          "SELECT COUNT(*) FROM information_schema.innodb_trx WHERE trx_state ="
                              + " 'LOCK WAIT' AND trx_query LIKE 'UPDATE orders%'")
                      > 0);
      AddFailedException failure =
          catchThrowableOfType(AddFailedException.class, () -> filter.within(light).add("b"));
      assertThat(failure.outcome()).isEqualTo(Outcome.NOT_RECORDED);
      assertThat(failure).hasMessageContaining("1213").hasMessageContaining("repeat it as a whole");
      light.commit();
      get(updated);
      heavy.commit();
    }
    assertThat(ordered(lost)).isFalse();
    assertThat(sql.number("SELECT note FROM orders WHERE id = ?", contested)).isEqualTo(2);
    assertThat(filter.info().keysAdded()).isEqualTo(1);
  }

  @Test
  void aLostConnectionIsTold() throws Exception {
    BloomFilter<String> filter = reserve(Use.MIRRORED);
    try (Connection connection = begin(Isolation.REPEATABLE_READ)) {
      TransactionalAdds<String> adds = filter.within(connection);
      assertThat(adds.add("a")).isTrue();
      sql.run("KILL " + read(connection, "SELECT CONNECTION_ID()"));
      assertThatThrownBy(() -> adds.add("b"))
          .isInstanceOf(AddFailedException.class)
          .hasMessageContaining("repeat it as a whole");
    }
    assertThat(filter.addEach(List.of("a", "b"))).containsOnly(true);
    assertThat(filter.info().keysAdded()).isEqualTo(2);
  }

  @ParameterizedTest
  @EnumSource
  void aReadOnlyTransactionIsToldThatItIs(Use use) throws Exception {
    BloomFilter<String> filter = reserve(use);
    try (Connection connection = begin(Isolation.REPEATABLE_READ)) {
      Sql.run(connection, "SET SESSION TRANSACTION READ ONLY");
      assertThatThrownBy(() -> filter.within(connection).add("a"))
          .isInstanceOf(AddFailedException.class)
          .hasMessageContaining("1792");
      connection.rollback();
    }
    assertThat(filter.add("a")).isTrue();
  }

  /** Neither the driver nor a proxy around it is asked for more than statements. */
  @ParameterizedTest
  @MethodSource("everyUseAndLevel")
  void nothingOfTheConnectionIsChanged(Use use, Isolation isolation) throws Exception {
    BloomFilter<String> filter = reserve(use);
    openThere(filter).addEach(keys("old", 50));
    filter.fold();
    try (Connection connection = begin(isolation)) {
      Sql.run(
          connection,
          "SET SESSION sql_mode = 'ANSI,NO_BACKSLASH_ESCAPES', sql_select_limit = 1,"
              + " innodb_lock_wait_timeout = 77, lock_wait_timeout = 88, wait_timeout = 999,"
              + " completion_type = 'CHAIN', sql_safe_updates = 1, time_zone = '+05:00'");
      List<String> before = SessionSettings.of(connection);
      TransactionalAdds<String> adds = filter.within(guarded(connection));
      assertThat(adds.addEach(keys("old", 50))).containsOnly(false);
      assertThat(adds.addEach(keys("new", 300))).containsOnly(true);
      assertThat(filter.within(connection).addEach(keys("new", 300))).containsOnly(false);
      assertThat(SessionSettings.of(connection)).isEqualTo(before);
      obstruct(filter, connection);
      assertThatThrownBy(() -> adds.add("fails")).isInstanceOf(AddFailedException.class);
      assertThat(SessionSettings.of(connection)).isEqualTo(before);
      assertThat(connection.getAutoCommit()).isFalse();
      assertThat(connection.isClosed()).isFalse();
      connection.rollback();
    }
    assertThat(filter.info().keysAdded()).isEqualTo(50);
  }

  private static Connection guarded(Connection connection) {
    return (Connection)
        Proxy.newProxyInstance(
            TransactionalAddIT.class.getClassLoader(),
            new Class<?>[] {Connection.class},
            (proxy, method, arguments) -> {
              assertThat(ALLOWED).contains(method.getName());
              try {
                return method.invoke(connection, arguments);
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
  }

  @ParameterizedTest
  @EnumSource
  void whatWasAddedIsFoldedSoonWithoutFurtherAdds(Use use) throws Exception {
    BloomFilter<String> filter = reserve(use);
    try (Connection connection = begin(Isolation.REPEATABLE_READ)) {
      assertThat(filter.within(connection).addEach(keys("k", 20))).containsOnly(true);
      connection.commit();
    }
    await()
        .atMost(Duration.ofSeconds(20))
        .untilAsserted(
            () -> {
              assertThat(filter.info().backlog()).isZero();
              assertThat(filter.info().estimatedKeys()).isBetween(19.0, 21.0);
            });
    // And it takes the next ordinary add.
    filter.add("next");
    assertThat(filter.mightContain("next")).isTrue();
  }

  /** A lock on a gap of the journal would let two transactions wait for each other for good. */
  @ParameterizedTest
  @MethodSource("everyUseAndLevel")
  void transactionsThatAddToDifferentFiltersDoNotMeet(Use use, Isolation isolation)
      throws Exception {
    BloomFilter<String> elsewhere = openThere(reserve(use));
    BloomFilter<String> last = reserve(use);
    HikariDataSource pool = schema.pool(settings -> settings.setMaximumPoolSize(1));
    try (SlotBloom bloom = SlotBloom.on(pool)) {
      BloomFilter<String> filter = bloom.open(elsewhere.name(), KeyType.text(), use.options());
      try (Connection connection = begin(pool.getConnection(), isolation);
          Connection other = begin(isolation)) {
        elsewhere.addEach(List.of("a", "b"));
        elsewhere.add("c");
        // Reads the tail, and writes nothing.
        assertThat(filter.within(connection).addEach(List.of("a", "c"))).containsOnly(false);
        Sql.run(other, "SET SESSION innodb_lock_wait_timeout = 1");
        assertThat(last.within(other).add("first entry")).isTrue();
        other.commit();
        connection.commit();
      }
    }
  }

  @Test
  void aMirrorThatCannotLeadToTheJournalIsAnErrorAndThenReadAnew() throws Exception {
    BloomFilter<String> elsewhere = openThere(reserve(Use.MIRRORED));
    elsewhere.add("old");
    HikariDataSource pool = schema.pool(settings -> settings.setMaximumPoolSize(1));
    try (SlotBloom bloom = SlotBloom.on(pool)) {
      BloomFilter<String> filter = bloom.open(elsewhere.name(), KeyType.text());
      assertThat(filter.mightContain("old")).isTrue();

      try (Connection connection = begin(pool.getConnection(), Isolation.REPEATABLE_READ)) {
        elsewhere.clear();
        assertUndecided(filter, connection, "old");
      }
      assertAddedAtSecondTry(filter, pool, "old", true);

      try (Connection connection = begin(pool.getConnection(), Isolation.REPEATABLE_READ)) {
        elsewhere.add("trimmed");
        elsewhere.add("kept");
        elsewhere.fold();
        sql.run(
            "DELETE FROM bloom_journal WHERE filter_id = ? AND seq < ?",
            elsewhere.info().id(),
            elsewhere.info().lastSequence());
        assertUndecided(filter, connection, "trimmed");
      }
      assertAddedAtSecondTry(filter, pool, "trimmed", false);
      assertThat(filter.info().keysAdded()).isEqualTo(3);
    }
  }

  private static void assertUndecided(BloomFilter<String> filter, Connection connection, String key)
      throws SQLException {
    int order = order(connection);
    assertThatThrownBy(() -> filter.within(connection).add(key))
        .isInstanceOf(AddFailedException.class)
        .hasMessageContaining("Roll the transaction back and repeat it");
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
  void whatIsSeenIsMadeDurableByTheCommitWhereItMightNotBe(TestDatabase database) throws Exception {
    BloomFilter<String> elsewhere = openThere(reserve(Use.MIRRORED));
    Sql admin = new Sql(database.admin());
    String ticks = "SELECT durable_ticks FROM bloom_filter WHERE name = ?";
    admin.run("SET GLOBAL sync_binlog = 0");
    HikariDataSource pool = schema.pool(settings -> settings.setMaximumPoolSize(1));
    try (SlotBloom bloom = SlotBloom.on(pool)) {
      for (Use use : List.of(Use.MIRRORED, Use.DIRECT)) {
        BloomFilter<String> filter = bloom.open(elsewhere.name(), KeyType.text(), use.options());
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
  void aFullFilterIsToldAfterTheCommit() throws Exception {
    List<String> told = new CopyOnWriteArrayList<>();
    SlotBloom listening =
        instances.another(
            pool -> {},
            settings ->
                settings.listener(
                    new SlotBloomListener() {
                      @Override
                      public void capacityReached(String filter, long keysAdded, long capacity) {
                        told.add(filter + " holds " + keysAdded + " of " + capacity);
                      }
                    }));
    String name = newName();
    BloomFilter<String> filter =
        listening.reserve(
            name,
            FilterSpec.builder(KeyType.text()).capacity(10).whenFull(WhenFull.DEGRADE).build());
    try (Connection connection = begin(Isolation.READ_COMMITTED)) {
      filter.within(connection).addEach(keys("k", 10));
      connection.commit();
    }
    await()
        .atMost(Duration.ofSeconds(20))
        .untilAsserted(() -> assertThat(told).containsExactly(name + " holds 10 of 10"));
  }

  @Test
  void aTransactionOfJooqIsJoinedThroughItsConnection(TestDatabase database) throws Exception {
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
    assertThat(filter.info().keysAdded()).isEqualTo(1);
  }

  @ParameterizedTest
  @EnumSource
  void statementsMayBePreparedOnTheServer(Use use) throws Exception {
    BloomFilter<String> filter = reserve(use);
    openThere(filter).addEach(List.of("a", "b"));
    HikariDataSource pool =
        schema.pool(
            settings -> {
              settings.setMaximumPoolSize(1);
              settings.addDataSourceProperty("useServerPrepStmts", "true");
            });
    try (Connection connection = begin(pool.getConnection(), Isolation.REPEATABLE_READ)) {
      TransactionalAdds<String> adds = filter.within(connection);
      assertThat(adds.addEach(List.of("a", "c"))).containsExactly(false, true);
      assertThat(adds.addEach(List.of("c", "b", "d"))).containsExactly(false, false, true);
      connection.commit();
    }
    assertThat(filter.info().keysAdded()).isEqualTo(4);
  }

  @Test
  void aClosedFilterRefuses() throws Exception {
    BloomFilter<String> filter = reserve(Use.MIRRORED);
    try (Connection connection = begin(Isolation.READ_COMMITTED)) {
      TransactionalAdds<String> adds = filter.within(connection);
      filter.close();
      assertThatThrownBy(() -> adds.add("a")).isInstanceOf(FilterClosedException.class);
      assertThatThrownBy(() -> filter.within(connection)).isInstanceOf(FilterClosedException.class);
    }
  }

  @Test
  void aDroppedFilterIsNotFound() throws Exception {
    BloomFilter<String> filter = reserve(Use.DIRECT);
    try (Connection connection = begin(Isolation.READ_COMMITTED)) {
      there.admin().drop(filter.name());
      assertThatThrownBy(() -> filter.within(connection).add("a"))
          .isInstanceOf(FilterNotFoundException.class)
          .hasMessageContaining("dropped");
      connection.rollback();
    }
  }

  /** Transactions, some of which are rolled back, and ordinary adds, all of the same keys. */
  @ParameterizedTest
  @EnumSource
  void ofAllWhoAddAKeyAtMostOneWins(Use use) throws Exception {
    BloomFilter<String> filter = reserve(use);
    BloomFilter<String> elsewhere = there.open(filter.name(), KeyType.text(), use.options());
    ConcurrentHashMap<String, AtomicInteger> winners = new ConcurrentHashMap<>();
    List<CompletableFuture<Void>> workers = new ArrayList<>();
    for (Isolation isolation : Isolation.values()) {
      for (BloomFilter<String> each : List.of(filter, elsewhere)) {
        int seed = workers.size();
        workers.add(
            inBackground(
                () -> {
                  addWithin(each, isolation, new Random(seed), winners);
                  return null;
                }));
      }
    }
    var random = new Random(99);
    for (int i = 0; i < 60; i++) {
      List<String> keys = someKeys(random);
      count(keys, (i % 2 == 0 ? filter : elsewhere).addEach(keys), winners);
    }
    for (CompletableFuture<Void> worker : workers) {
      worker.get(60, TimeUnit.SECONDS);
    }
    assertThat(winners.values().stream().mapToInt(AtomicInteger::get)).allMatch(n -> n == 1);
    assertThat(filter.info().keysAdded()).isEqualTo(winners.size());
    filter.fold();
    List<String> added = List.copyOf(winners.keySet());
    for (BloomFilter<String> each :
        List.of(filter, elsewhere, here.open(filter.name(), KeyType.text()))) {
      assertThat(each.mightContainEach(added)).containsOnly(true);
      assertThat(each.addEach(added)).containsOnly(false);
    }
  }

  private static void addWithin(
      BloomFilter<String> filter,
      Isolation isolation,
      Random random,
      ConcurrentHashMap<String, AtomicInteger> winners)
      throws SQLException {
    try (Connection connection = begin(isolation)) {
      TransactionalAdds<String> adds = filter.within(connection);
      for (int i = 0; i < 25; i++) {
        takeSnapshot(connection);
        List<String> first = someKeys(random);
        List<String> second = someKeys(random);
        boolean[] fresh = adds.addEach(first);
        boolean[] freshToo = adds.addEach(second);
        if (random.nextInt(3) == 0) {
          connection.rollback();
        } else {
          connection.commit();
          count(first, fresh, winners);
          count(second, freshToo, winners);
        }
      }
    }
  }

  private static List<String> someKeys(Random random) {
    return random.ints(1 + random.nextInt(8), 0, 400).mapToObj(k -> "k" + k).toList();
  }

  private static void count(
      List<String> keys, boolean[] fresh, ConcurrentHashMap<String, AtomicInteger> winners) {
    for (int i = 0; i < fresh.length; i++) {
      if (fresh[i]) {
        winners.computeIfAbsent(keys.get(i), k -> new AtomicInteger()).incrementAndGet();
      }
    }
  }
}
