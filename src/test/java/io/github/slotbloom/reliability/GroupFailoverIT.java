package io.github.slotbloom.reliability;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import io.github.slotbloom.BloomFilter;
import io.github.slotbloom.FilterAdmin;
import io.github.slotbloom.KeySource;
import io.github.slotbloom.PrimaryDataSource;
import io.github.slotbloom.ReplaceOptions;
import io.github.slotbloom.SlotBloom;
import io.github.slotbloom.SlotBloomEvent;
import io.github.slotbloom.SlotBloomListener;
import io.github.slotbloom.VerifyOptions;
import io.github.slotbloom.core.KeyType;
import io.github.slotbloom.error.FilterUnavailableException;
import io.github.slotbloom.error.ReplacementException;
import io.github.slotbloom.error.UnsupportedVersionException;
import io.github.slotbloom.testing.DatabaseContract;
import io.github.slotbloom.testing.ExpectedLog;
import io.github.slotbloom.testing.GroupBehindProxy;
import io.github.slotbloom.testing.KillableGroup;
import io.github.slotbloom.testing.KnownLogs;
import io.github.slotbloom.testing.PossibleLog;
import io.github.slotbloom.testing.Sql;
import io.github.slotbloom.testing.TestAccount;
import io.github.slotbloom.testing.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A replication group whose primary fails: processes follow it, and no answer is wrong. */
@Tag("servers")
@DatabaseContract
@Timeout(900)
@PossibleLog(KnownLogs.BACKGROUND_FAILED)
@PossibleLog(KnownLogs.MIRROR_RELOADED)
@PossibleLog(KnownLogs.NO_SECONDARY)
@PossibleLog("^WARN PoolBase - ")
class GroupFailoverIT {

  private static final int PROCESSES = 3;
  private static final int SOME = 200;

  /** Of each kind, where calls of several kinds have to share the cores. */
  private static final int FEW = 30;

  /** A secondary is tried again after five seconds, and has three to answer. */
  private static final Duration LONG_ENOUGH_TO_TRY_IT_TWICE = Duration.ofSeconds(14);

  private static final String HIDDEN = "^WARN ServerWatch - hidden group: ";
  private static final String RIGHT =
      "GRANT SELECT ON performance_schema.replication_group_members";

  private static @Nullable KillableGroup running;

  private final KillableGroup group;
  private final SharedFilter shared;

  GroupFailoverIT(TestDatabase database) throws Exception {
    assumeFalse(database.isMariaDb(), "MariaDB has no groups of MySQL");
    assumeFalse(database.isGiven(), () -> database.name() + " has no group");
    if (running == null) {
      running = KillableGroup.start();
    }
    group = running;
    shared = new SharedFilter(processes(), SharedFilter.exact().build());
  }

  private List<PrimaryDataSource> processes() {
    return IntStream.range(0, PROCESSES).mapToObj(i -> group.primaryDataSource()).toList();
  }

  @AfterAll
  static void endGroup() throws Exception {
    if (running != null) {
      running.close();
      running = null;
    }
  }

  @AfterEach
  void close() throws Exception {
    shared.close();
    if (!group.isWhole()) {
      // A test failed on the way. The next one begins with a group of its own.
      endGroup();
    }
  }

  /** Opens the filter in a process that knows of one server only. */
  private BloomFilter<String> openOn(int member, boolean mirrored) {
    return shared.openOn(group.dataSources().get(member), mirrored);
  }

  /** Opens the filter in a process whose lookups go to one server. */
  private BloomFilter<String> openAsking(int member, boolean mirrored) {
    return shared.openAsking(group.primaryDataSource(), group.dataSources().get(member), mirrored);
  }

  /** Connects to each member as an account that has rights on its schema alone. */
  private List<DataSource> asOwnerOfTheSchema() throws SQLException {
    Sql root = new Sql(group.primaryDataSource());
    root.run("CREATE USER IF NOT EXISTS 'app'@'%' IDENTIFIED BY 'app'");
    root.run("GRANT ALL ON slotbloom.* TO 'app'@'%'");
    return group.dataSources(new TestAccount("app", "app"));
  }

  @Test
  void aSecondaryAnswersWithoutThePrimary() throws Exception {
    int primary = group.primary();
    int secondary = (primary + 1) % 3;
    List<BloomFilter<String>> asking =
        List.of(
            openAsking(secondary, true),
            openAsking(secondary, false),
            shared.openAsking(group.primaryDataSource(), group.waitingDataSource(secondary), true),
            shared.openAsking(
                group.primaryDataSource(), group.waitingDataSource(secondary), false));
    assertThat(shared.filters().get(0).add("known")).isTrue();
    group.clients(primary).refuse(true);
    group.clients(primary).cutAll();
    for (BloomFilter<String> filter : asking) {
      assertThat(filter.mightContain("known")).isTrue();
      assertThat(filter.mightContain("unknown")).isFalse();
      assertThat(filter.mightContainEach(List.of("unknown", "known"))).containsExactly(false, true);
    }
    group.clients(primary).heal();
  }

  @Test
  void aSecondaryThatFailsDeniesNothing() throws Exception {
    int primary = group.primary();
    int secondary = (primary + 1) % 3;
    ContestedKeys keys =
        shared.contest(List.of(openAsking(secondary, true), openAsking(secondary, false)));
    keys.awaitProgress(SOME);
    group.freeze(secondary);
    group.awaitWithout(secondary);
    keys.awaitProgress(SOME);
    group.thaw(secondary);
    keys.awaitProgress(SOME);
    group.join(secondary);
    keys.awaitProgress(SOME);
    keys.check(shared.bloom(0));
  }

  @Test
  @ExpectedLog(value = KnownLogs.NO_SECONDARY, times = 1)
  void aSecondaryThatAppliesNothingIsNotAskedUntilItDoes() throws Exception {
    int secondary = (group.primary() + 1) % 3;
    BloomFilter<String> asking = openAsking(secondary, false);
    try (Connection administration = group.dataSources().get(secondary).getConnection()) {
      Sql.run(administration, "FLUSH TABLES WITH READ LOCK");
      assertThat(shared.filters().get(0).add("new")).isTrue();
      assertThat(asking.mightContain("new")).isTrue();
      await()
          .during(LONG_ENOUGH_TO_TRY_IT_TWICE)
          .atMost(SharedFilter.TIMEOUT)
          .until(() -> asking.mightContain("new"));
    }
  }

  @Test
  @ExpectedLog(HIDDEN)
  void secondariesThatTheAccountCannotJudgeAreRefused() throws Exception {
    PrimaryDataSource primary = new PrimaryDataSource(asOwnerOfTheSchema());
    List<String> told = new ArrayList<>();
    SlotBloomListener listener =
        event -> {
          if (event instanceof SlotBloomEvent.PrimaryInDoubt hidden) {
            told.add(hidden.finding());
          }
        };
    SlotBloom.builder(primary).listener(listener).build().close();
    assertThat(told).singleElement().asString().contains(RIGHT);
    assertThatThrownBy(() -> SlotBloom.builder(primary).secondaries(primary).build())
        .isInstanceOf(UnsupportedVersionException.class)
        .hasMessageContaining(RIGHT);
  }

  /** Two buckets of the window begin at least while the primary is dead. */
  @Test
  @PossibleLog(KnownLogs.ROTATION_FAILED)
  void callsOfAllKindsGoOnWithTheNewPrimary() throws Exception {
    // What a session that does not replicate writes would stay on its server, and be lost with it.
    doNotReplicate(shared.pool(0));
    assertThat(shared.filters().get(0).add("replicated")).isTrue();
    try (CallsOfAllKinds calls = new CallsOfAllKinds(this::processes);
        SharedFilter window = new SharedFilter(processes(), ContestedWindow.spec())) {
      ContestedWindow keysOfWindow = new ContestedWindow(window.filters());
      try {
        calls.awaitProgress(FEW);
        keysOfWindow.awaitProgress(FEW);
        long bucket = newestBucket(window);
        int primary = group.primary();
        group.kill(primary);
        await()
            .atMost(SharedFilter.TIMEOUT)
            .ignoreExceptionsInstanceOf(SQLException.class)
            .until(() -> newestBucket(window) >= bucket + 2);
        calls.awaitProgress(FEW);
        keysOfWindow.awaitProgress(FEW);
        assertThat(shared.filters().get(PROCESSES - 1).mightContain("replicated")).isTrue();
        group.restart(primary);
        calls.awaitProgress(FEW);
        keysOfWindow.awaitProgress(FEW);
        calls.check();
        keysOfWindow.check(window.bloom(0));
      } finally {
        keysOfWindow.stop();
      }
    }
  }

  private static void doNotReplicate(DataSource pool) throws SQLException {
    List<Connection> all = new ArrayList<>();
    for (int i = 0; i < SharedFilter.CONNECTIONS; i++) {
      all.add(pool.getConnection());
    }
    for (Connection connection : all) {
      Sql.run(connection, "SET SESSION sql_log_bin = OFF");
      connection.close();
    }
  }

  /** When it is thawed, it believes for some seconds that it still is the primary. */
  @Test
  void aPrimaryThatWasFrozenDeniesNothing() throws Exception {
    SeparatedServer.deniesNothing(
        group, shared, group.primary(), group::freeze, group::thaw, number -> {});
  }

  @Test
  void aPrimaryWithoutAMajorityDeniesNothing() throws Exception {
    SeparatedServer.deniesNothing(
        group, shared, group.primary(), group::cutOff, number -> {}, group::reconnect);
  }

  @Test
  @Tag("long")
  @Timeout(value = 3, unit = TimeUnit.HOURS)
  void serversFailForALongTime() throws Exception {
    RandomFaults.strike(group, shared);
  }

  /** The storm of single servers: its clients fail as well, and a checker knows what each saw. */
  @Test
  @Tag("long")
  void callersSeeAPossibleHistoryWhilePrimariesAndProcessesFail() throws Exception {
    // Short enough for a build, and long enough for each fault.
    Duration length = Rounds.length(Duration.ofSeconds(15));
    RoundPlan plan =
        new RoundPlan(
            "a primary fails",
            RoundPlan.ROOMY,
            RoundPlan.EXACT,
            true,
            0,
            true,
            List.of(
                Fault.CRASH_SERVER,
                Fault.CUT_AT_POINT,
                Fault.GROW,
                Fault.KILL,
                Fault.KILL_AT_POINT,
                Fault.LOSE_COMMIT_ANSWER,
                Fault.REPLACE,
                Fault.STALL),
            length);
    Rounds rounds = new Rounds();
    try (GroupBehindProxy proxied = new GroupBehindProxy(group, new Random(rounds.seed()))) {
      Tally tally = rounds.run(plan, proxied, Rounds.ALL);
      assertThat(tally.times(Fault.CRASH_SERVER)).isPositive();
    }
  }

  /**
   * The primary is killed when half of the keys were read from the source, and the next one too.
   */
  @Test
  void whatAnOperatorBeganGoesOnWithTheNewPrimary() throws Exception {
    List<String> keys = IntStream.range(0, 50 * SOME).mapToObj(ContestedKeys::key).toList();
    assertThat(shared.filters().get(0).filterNew(keys)).hasSize(keys.size());
    int first = group.primary();
    AtomicBoolean killed = new AtomicBoolean();
    KeySource source =
        KeySource.of(
            "keys",
            KeyType.text(),
            () ->
                IntStream.range(0, keys.size())
                    .mapToObj(
                        number -> {
                          if (number == keys.size() / 2 && killed.compareAndSet(false, true)) {
                            group.kill(first);
                          }
                          return keys.get(number);
                        }));
    FilterAdmin admin = shared.admin();
    untilAPrimaryTakesIt(
        () -> admin.replace(2L * ContestedKeys.CAPACITY, source, ReplaceOptions.defaults()));
    assertThat(killed).isTrue();
    assertThat(shared.bloom(0).info(shared.name()).capacity())
        .isEqualTo(2L * ContestedKeys.CAPACITY);
    requireAll(keys);
    group.restart(first);

    int second = group.primary();
    group.kill(second);
    untilAPrimaryTakesIt(() -> admin.grow(3L * ContestedKeys.CAPACITY));
    requireAll(keys);
    assertThat(admin.verify(VerifyOptions.defaults()).findings()).isEmpty();
    untilAPrimaryTakesIt(() -> admin.clear());
    for (BloomFilter<String> filter : shared.filters()) {
      assertThat(filter.mightContainEach(keys)).doesNotContain(true);
    }
    assertThat(shared.filters().get(1).filterNew(keys)).hasSize(keys.size());
    assertThat(shared.bloom(0).info(shared.name()).keysAdded()).isEqualTo(keys.size());
    assertThat(admin.verify(VerifyOptions.defaults()).findings()).isEmpty();
    group.restart(second);
  }

  private void requireAll(List<String> keys) {
    for (BloomFilter<String> filter : shared.filters()) {
      assertThat(filter.mightContainEach(keys)).doesNotContain(false);
      assertThat(filter.filterNew(keys)).isEmpty();
    }
  }

  private static long newestBucket(SharedFilter window) throws SQLException {
    return new Sql(window.pool(0))
        .number("SELECT bucket FROM bloom_filter WHERE name = ?", window.name());
  }

  /** It may not see whether a server takes part in the group. */
  @Test
  @ExpectedLog(HIDDEN)
  void anAccountWithRightsOnItsSchemaAlonePrefersThePrimaryAndWaitsForIt() throws Exception {
    DataSource root = group.primaryDataSource();
    List<DataSource> servers = new ArrayList<>(asOwnerOfTheSchema());
    Collections.rotate(servers, -group.primary() - 1);
    DataSource found = new PrimaryDataSource(servers);
    assertThat(new Sql(found).text("SELECT @@GLOBAL.server_uuid"))
        .isEqualTo(new Sql(root).text("SELECT @@GLOBAL.server_uuid"));
    assertThat(new Sql(found).text("SELECT @@SESSION.group_replication_consistency"))
        .isEqualTo("BEFORE");
    // Without it each session is set.
    DataSource primary = servers.get(servers.size() - 1);
    for (DataSource each : List.of(found, primary)) {
      BloomFilter<String> filter = shared.openOn(each, true);
      String key = "by app " + each.hashCode();
      assertThat(filter.add(key)).isTrue();
      assertThat(shared.filters().get(0).mightContain(key)).isTrue();
      assertThat(shared.openOn(each, false).mightContain(key)).isTrue();
    }
    assertThatThrownBy(() -> shared.openOn(servers.get(0), false).mightContain("by app"))
        .isInstanceOf(FilterUnavailableException.class)
        .hasMessageContaining("not the primary");
  }

  /** A process that lost the primary in the middle may hold a replacement for some seconds. */
  private static void untilAPrimaryTakesIt(Runnable change) {
    await()
        .atMost(SharedFilter.TIMEOUT)
        .ignoreExceptionsMatching(
            e -> e instanceof FilterUnavailableException || e instanceof ReplacementException)
        .until(
            () -> {
              change.run();
              return true;
            });
  }

  @Test
  @Tag("long")
  void aRollingRestartFailsNoCall() throws Exception {
    ContestedKeys keys = shared.contest();
    int primary = group.primary();
    for (int i = 1; i <= 3; i++) {
      int member = (primary + i) % 3;
      keys.awaitProgress(SOME);
      group.stop(member);
      keys.awaitProgress(SOME);
      group.restart(member);
    }
    keys.awaitProgress(SOME);
    keys.check(shared.bloom(0));
  }

  @Test
  void aServerOutsideOfItsGroupIsRefused() throws Exception {
    int primary = group.primary();
    int other = (primary + 1) % 3;
    BloomFilter<String> filter = shared.filters().get(0);
    filter.add("before");
    group.kill(other);
    filter.add("after");
    // Writable: it says nothing of its own accord.
    group.startOutsideOfTheGroup(other);
    assertThatThrownBy(() -> openOn(other, true).mightContain("after"))
        .isInstanceOf(FilterUnavailableException.class)
        .hasMessageContaining("not the primary");
    assertThat(openAsking(other, true).mightContain("after")).isTrue();
    assertThat(openAsking(other, false).mightContain("after")).isTrue();
    group.join(other);
    assertThatThrownBy(() -> openOn(other, false).mightContain("after"))
        .isInstanceOf(FilterUnavailableException.class)
        .hasMessageContaining("not the primary");
    assertThat(filter.mightContain("after")).isTrue();
  }
}
