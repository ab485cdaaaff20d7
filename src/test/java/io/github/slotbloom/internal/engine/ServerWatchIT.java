package io.github.slotbloom.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import io.github.slotbloom.BloomFilter;
import io.github.slotbloom.FilterOptions;
import io.github.slotbloom.FilterSpec;
import io.github.slotbloom.SlotBloom;
import io.github.slotbloom.SlotBloomEvent;
import io.github.slotbloom.SlotBloomListener;
import io.github.slotbloom.core.FilterName;
import io.github.slotbloom.core.HashAlgorithm;
import io.github.slotbloom.core.KeyType;
import io.github.slotbloom.internal.context.ServerWatch;
import io.github.slotbloom.internal.store.catalog.Catalog;
import io.github.slotbloom.internal.store.filter.FilterRecord;
import io.github.slotbloom.internal.store.session.Database;
import io.github.slotbloom.internal.store.session.ServerSettings;
import io.github.slotbloom.internal.store.session.Servers;
import io.github.slotbloom.testing.DatabaseContract;
import io.github.slotbloom.testing.KnownLogs;
import io.github.slotbloom.testing.MakesNoGenerations;
import io.github.slotbloom.testing.PossibleLog;
import io.github.slotbloom.testing.SetClock;
import io.github.slotbloom.testing.Sql;
import io.github.slotbloom.testing.TestDatabase;
import io.github.slotbloom.testing.TestSchema;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What becomes of "seen", and who hears of it, when the server's settings change. */
@DatabaseContract(migrated = true, shortLeases = true)
@Timeout(180)
@PossibleLog(KnownLogs.WEAK_DURABILITY)
@Tag("mysql")
class ServerWatchIT {

  private static final Duration MINUTE = Duration.ofMinutes(1);

  private final SetClock clock = new SetClock();
  private final List<String> told = new CopyOnWriteArrayList<>();
  private final Sql admin;
  private final Sql sql;
  private final TestSchema schema;
  private SlotBloom elsewhere;
  private BloomFilter<Long> theirs;
  private FilterEngines engines;
  private FilterEngine ours;
  private FilterRecord filter;

  ServerWatchIT(TestDatabase database, TestSchema schema) {
    assumeFalse(database.isGiven(), "its settings are not ours to change");
    this.admin = new Sql(database.admin());
    this.sql = new Sql(schema.dataSource());
    this.schema = schema;
  }

  @BeforeEach
  void open() {
    elsewhere = SlotBloom.on(schema.dataSource());
    theirs =
        elsewhere.reserve("words", FilterSpec.builder(KeyType.longs()).capacity(10_000).build());
    Database database = Database.connect(schema.dataSource());
    filter = database.transact(tx -> Catalog.find(tx, new FilterName("words"))).orElseThrow();
    SlotBloomListener listener =
        event -> {
          if (event instanceof SlotBloomEvent.WeakDurability weak) {
            told.add(weak.finding().replaceFirst(":.*", ""));
          } else if (event instanceof SlotBloomEvent.DurabilityRestored) {
            told.add("restored");
          }
        };
    engines =
        new FilterEngines(
            Servers.only(database),
            database.transact(ServerSettings::read),
            clock,
            listener,
            new MakesNoGenerations(),
            FilterEngines.threads(),
            FilterEngines.timer());
    ours =
        engines.open(
            filter, FilterOptions.defaults().timeout(Duration.ofSeconds(20)).backlogLimit(1000));
  }

  @AfterEach
  void close() throws SQLException {
    engines.close();
    elsewhere.close();
    admin.run("SET GLOBAL sync_binlog = 1, GLOBAL server_id = 1");
  }

  private long hash(long key) {
    return HashAlgorithm.byId(filter.hash()).create(filter.seed().value()).hashLong(key);
  }

  /** Whether an add of a key that only others wrote takes a durable commit. */
  private boolean seenTakesACommit(long key) throws SQLException {
    theirs.add(key);
    assertThat(ours.lookups().mightContain(hash(key))).isTrue();
    long before = ticks();
    assertThat(ours.writes().add(hash(key))).isFalse();
    return ticks() > before;
  }

  private long ticks() throws SQLException {
    return sql.number("SELECT durable_ticks FROM bloom_filter");
  }

  @Test
  void changedSettingsCountForSeenKeysAfterAMinute() throws SQLException {
    assertThat(seenTakesACommit(1)).isFalse();
    admin.run("SET GLOBAL sync_binlog = 0");
    clock.advance(MINUTE);
    await().untilAsserted(() -> assertThat(told).containsExactly("sync_binlog is 0"));
    assertThat(seenTakesACommit(2)).isTrue();
    admin.run("SET GLOBAL sync_binlog = 1");
    clock.advance(MINUTE);
    await().untilAsserted(() -> assertThat(told).containsExactly("sync_binlog is 0", "restored"));
    assertThat(seenTakesACommit(3)).isFalse();
  }

  @Test
  void strongerSettingsCountAfterADurableCommit() throws SQLException {
    admin.run("SET GLOBAL sync_binlog = 0");
    Database database = Database.connect(schema.dataSource());
    ServerWatch watch =
        new ServerWatch(database, database.transact(ServerSettings::read), clock, event -> {});
    assertThat(watch.visibleIsDurable()).isFalse();
    admin.run("SET GLOBAL sync_binlog = 1");
    long before = ticks();
    try (Connection holder = schema.dataSource().getConnection()) {
      holder.setAutoCommit(false);
      try (Statement select = holder.createStatement()) {
        select.execute("SELECT id FROM bloom_filter FOR UPDATE");
      }
      watch.read(filter.id());
      assertThat(watch.visibleIsDurable()).isFalse();
      holder.rollback();
    }
    watch.read(filter.id());
    assertThat(watch.visibleIsDurable()).isTrue();
    assertThat(ticks()).isEqualTo(before + 1);
  }

  @Test
  void strongerSettingsDoNotCountWithoutADurableCommit() throws SQLException {
    admin.run("SET GLOBAL sync_binlog = 0");
    Database reading = Database.connect(schema.dataSource(schema.createAccount("SELECT")));
    ServerWatch watch =
        new ServerWatch(reading, reading.transact(ServerSettings::read), clock, event -> {});
    admin.run("SET GLOBAL sync_binlog = 1");
    watch.read(filter.id());
    assertThat(watch.visibleIsDurable()).isFalse();
    admin.run("SET GLOBAL sync_binlog = 0");
    clock.advance(MINUTE);
    watch.read(filter.id());
    assertThat(watch.visibleIsDurable()).isFalse();
  }

  @Test
  void aMirrorThatReloadsReadsTheSettingsFirst() throws SQLException {
    admin.run("SET GLOBAL sync_binlog = 0");
    elsewhere.admin(theirs.name()).clear();
    assertThat(ours.lookups().mightContain(hash(1))).isFalse();
    assertThat(told).containsExactly("sync_binlog is 0");
    assertThat(seenTakesACommit(2)).isTrue();
  }

  @Test
  void theSettingsOfAnotherServerAreReadAtOnce() throws SQLException {
    admin.run("SET GLOBAL sync_binlog = 0, GLOBAL server_id = 4711");
    await().untilAsserted(() -> assertThat(told).containsExactly("sync_binlog is 0"));
    assertThat(seenTakesACommit(1)).isTrue();
  }
}
