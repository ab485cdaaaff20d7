package io.github.slotbloom.internal.admin;

import static io.github.slotbloom.testing.FilterNames.newName;
import static io.github.slotbloom.testing.Keys.keys;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariDataSource;
import io.github.slotbloom.BloomFilter;
import io.github.slotbloom.FilterAdmin;
import io.github.slotbloom.FilterInfo;
import io.github.slotbloom.SlotBloom;
import io.github.slotbloom.TransactionalWrites;
import io.github.slotbloom.VerifyOptions;
import io.github.slotbloom.core.KeyType;
import io.github.slotbloom.error.CorruptFilterException;
import io.github.slotbloom.error.WriteFailedException;
import io.github.slotbloom.report.Finding;
import io.github.slotbloom.testing.Backup;
import io.github.slotbloom.testing.BehindNetwork;
import io.github.slotbloom.testing.ByHand;
import io.github.slotbloom.testing.DatabaseContract;
import io.github.slotbloom.testing.Fixture;
import io.github.slotbloom.testing.Instances;
import io.github.slotbloom.testing.KnownLogs;
import io.github.slotbloom.testing.PossibleLog;
import io.github.slotbloom.testing.Sql;
import io.github.slotbloom.testing.TestSchema;
import io.github.slotbloom.testing.Trap;
import io.github.slotbloom.testing.Use;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What others do to a filter that grows, and what is lost of its growth. */
@DatabaseContract(shortLeases = true)
@Timeout(300)
@PossibleLog(KnownLogs.FOLDING_FAILED)
@PossibleLog(KnownLogs.MIRROR_RELOADED)
class GrowFaultsIT {

  private static final Use USE = Use.MIRRORED;

  @Fixture private static TestSchema schema;
  @Fixture private static Instances instances;
  @Fixture private static SlotBloom here;
  @Fixture private static SlotBloom there;
  @Fixture private static Sql sql;

  private static BloomFilter<String> reserveWithA(Use use) {
    BloomFilter<String> filter = use.reserve(here, newName());
    filter.add("a");
    return filter;
  }

  /** The backup has all keys in the slots, and one generation. */
  private static Backup growAfterBackup(BloomFilter<String> filter) throws SQLException {
    here.admin(filter.name()).fold();
    Backup backup = Backup.of(schema.dataSource(), filter.name());
    here.admin(filter.name()).grow(9000);
    return backup;
  }

  @Test
  void nobodyWinsTwiceAfterAFailoverLostTheGrowthAndItWasRepeated() throws SQLException {
    Use use = Use.DIRECT;
    BloomFilter<String> mine = reserveWithA(use);
    String name = mine.name();
    Backup backup = growAfterBackup(mine);
    BloomFilter<String> theirs = use.open(there, name);
    assertThat(theirs.mightContain("a")).isTrue();
    BloomFilter<String> mirrored = USE.open(there, name);
    backup.restore(schema.dataSource());
    here.admin(name).grow(50_000);
    assertThat(mirrored.mightContainEach(List.of("a", "b"))).containsExactly(true, false);
    mine = use.open(instances.another(), name);
    List<String> keys = keys("b", 300);
    assertThat(mine.addEach(keys)).containsOnly(true);
    here.admin(mine.name()).fold();
    try (Connection connection = ByHand.transaction(schema.dataSource().getConnection())) {
      assertThat(theirs.within(connection).addEach(keys)).containsOnly(false);
      connection.rollback();
    }
  }

  @Test
  void theSlotTableOfALostGenerationIsForgotten() throws SQLException {
    Use use = Use.DIRECT;
    String name = newName();
    BloomFilter<String> mine = here.reserve(name, use.spec(KeyType.text(), 100), use.options());
    mine.add("a");
    here.admin(mine.name()).fold();
    Backup backup = Backup.of(schema.dataSource(), name);
    here.admin(name).grow(5000);
    here.admin(name).fold();
    BloomFilter<String> theirs = use.open(there, name);
    assertThat(theirs.add("x")).isTrue();
    here.admin(theirs.name()).fold();
    backup.restore(schema.dataSource());
    assertThat(theirs.mightContain("x")).isFalse();
    here.admin(name).grow(300);
    here.admin(name).fold();
    assertThat(theirs.add("y")).isTrue();
    here.admin(theirs.name()).fold();
    BloomFilter<String> opened = use.open(instances.another(), name);
    assertThat(opened.mightContainEach(List.of("a", "x", "y"))).containsExactly(true, false, true);
  }

  /** The server that took over knows nothing of the table, nor of its row. */
  @Test
  void aSlotTableThatAFailoverLostIsCreatedAgain() throws Exception {
    String name = newName();
    here.reserve(name, Use.MIRRORED.spec(KeyType.text())).add("a");
    here.admin(name).fold();
    Backup replica = Backup.of(schema.dataSource(), name);
    try (BehindNetwork late = new BehindNetwork(schema)) {
      Trap trap = late.network().trap(Trap.Place.BEFORE_SERVER, "bloom_filter.*for update", 1);
      CompletableFuture<Void> growing =
          CompletableFuture.runAsync(() -> late.bloom().admin(name).grow(9000));
      trap.caught().get(60, TimeUnit.SECONDS);
      assertThat(schema.slotTables(name)).hasSize(2);
      replica.restore(schema.dataSource());
      assertThat(schema.slotTables(name)).hasSize(1);
      trap.release();
      growing.get(60, TimeUnit.SECONDS);
    }
    assertThat(schema.slotTables(name))
        .containsExactlyElementsOf(
            here.info(name).generations().stream().map(FilterInfo.Generation::slotTable).toList())
        .hasSize(2);
    assertThat(Use.DIRECT.open(there, name).addEach(List.of("a", "b")))
        .containsExactly(false, true);
  }

  /** The server that took over has the row that announced the table, and not the table. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aSlotTableThatAFailoverLostBeforeItWasNotedIsCreatedAgain(boolean clear) throws Exception {
    String name = newName();
    here.reserve(name, Use.MIRRORED.spec(KeyType.text())).add("a");
    try (BehindNetwork late = new BehindNetwork(schema)) {
      Trap trap = late.network().trap(Trap.Place.BEFORE_SERVER, "update .bloom_table.*made");
      FilterAdmin admin = late.bloom().admin(name);
      CompletableFuture<Void> changing =
          CompletableFuture.runAsync(clear ? admin::clear : () -> admin.grow(9000));
      trap.caught().get(60, TimeUnit.SECONDS);
      sql.run("DROP TABLE " + sql.slots(name, 2));
      trap.cut();
      changing.get(60, TimeUnit.SECONDS);
    }
    assertThat(schema.slotTables(name)).contains(sql.slots(name, 2));
    assertThat(Use.DIRECT.open(there, name).addEach(List.of("a", "b")))
        .containsExactly(clear, true);
  }

  @Test
  void aLateGrowthLeavesNoTable() throws Exception {
    String name = newName();
    here.reserve(name, Use.MIRRORED.spec(KeyType.text())).add("a");
    try (BehindNetwork late = new BehindNetwork(schema)) {
      Trap trap = late.network().trap(Trap.Place.BEFORE_SERVER, "bloom_filter.*for update");
      CompletableFuture<Void> growing =
          CompletableFuture.runAsync(() -> late.bloom().admin(name).grow(9000));
      trap.caught().get(60, TimeUnit.SECONDS);
      here.admin(name).grow(9000);
      trap.release();
      growing.get(60, TimeUnit.SECONDS);
    }
    assertThat(
            sql.rows(
                "SELECT generation, made FROM bloom_table WHERE filter_id = ? ORDER BY generation",
                here.info(name).id()))
        .containsExactly(List.of("1", "1"), List.of("2", "1"));
    assertThat(schema.slotTables(name)).hasSize(2);
  }

  @Test
  void aLimitOfTheCallersSessionDoesNotMatter() throws SQLException {
    BloomFilter<String> mine = reserveWithA(Use.DIRECT);
    here.admin(mine.name()).grow(9000);
    try (Connection connection = ByHand.transaction(schema.dataSource().getConnection())) {
      Sql.run(connection, "SET SESSION sql_select_limit = 1");
      try {
        assertThat(mine.within(connection).addEach(List.of("a", "b"))).containsExactly(false, true);
      } finally {
        connection.rollback();
        Sql.run(connection, "SET SESSION sql_select_limit = DEFAULT");
      }
    }
  }

  @Test
  void aTransactionWithASnapshotOfBeforeIsToBeRepeated() throws SQLException {
    Use use = Use.DIRECT;
    BloomFilter<String> mine = reserveWithA(use);
    String name = mine.name();
    try (Connection connection =
        ByHand.transaction(
            schema.dataSource().getConnection(), Connection.TRANSACTION_REPEATABLE_READ)) {
      Sql.run(connection, "SELECT COUNT(*) FROM bloom_usage");
      here.admin(name).grow(9000);
      assertThatThrownBy(() -> mine.within(connection).add("b"))
          .isInstanceOf(WriteFailedException.class)
          .hasMessageContainingAll("new slot table", "repeat all of it");
      connection.rollback();
      assertThat(mine.within(connection).addEach(List.of("a", "b"))).containsExactly(false, true);
      connection.commit();
    }
    assertThat(here.info(mine.name()).keysAdded()).isEqualTo(2);
  }

  /** A manifest is written and lost as a whole, so only by hand. */
  @Test
  void aGenerationThatIsMissingIsFound() throws SQLException {
    String name = newName();
    here.reserve(name, Use.MIRRORED.spec(KeyType.text())).add("a");
    here.admin(name).grow(2500);
    here.admin(name).grow(3000);
    for (int generation = 1; generation <= 3; generation++) {
      Backup backup = Backup.of(schema.dataSource(), name);
      String manifest = sql.text("SELECT manifest FROM bloom_filter WHERE name = ?", name);
      String without =
          manifest
              .replaceFirst("\\{\"generation\":" + generation + ",[^}]*},?", "")
              .replace(",]", "]");
      assertThat(without).hasSizeLessThan(manifest.length());
      sql.run("UPDATE bloom_filter SET manifest = ? WHERE name = ?", without, name);
      assertThat(there.admin(name).verify(VerifyOptions.defaults()).findings())
          .as("without generation " + generation)
          .anyMatch(each -> each.severity() == Finding.Severity.DAMAGE);
      backup.restore(schema.dataSource());
    }
    assertThat(there.open(name, KeyType.text()).mightContain("a")).isTrue();
    assertThat(there.admin(name).verify(VerifyOptions.defaults()).findings()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "LEFT(manifest, LENGTH(manifest) - 1)",
        "''",
        "'{}'",
        "JSON_SET(manifest, '$.next', 4)",
        "REPLACE(manifest, 'ACTIVE', 'READY')",
        "REPLACE(manifest, '\"next\":3', '\"next\":2')",
        "REGEXP_REPLACE(manifest, '[[].*[]]', '[]')"
      })
  void aManifestThatIsNotOneIsRefused(String manifest) throws SQLException {
    String name = newName();
    here.reserve(name, Use.MIRRORED.spec(KeyType.text())).close();
    here.admin(name).grow(2500);
    assertThat(
            sql.run(
                "UPDATE bloom_filter SET manifest = "
                    + manifest
                    + " WHERE name = ? AND manifest <> "
                    + manifest,
                name))
        .isOne();
    assertThatThrownBy(() -> there.open(name, KeyType.text()))
        .isInstanceOf(CorruptFilterException.class)
        .hasMessageContaining(name);
    sql.run("DELETE FROM bloom_filter WHERE name = ?", name);
  }

  /** What a transaction locks of one filter does not hold up the others. */
  @Test
  void otherFiltersDoNotWaitForATransaction() throws Exception {
    Use use = Use.DIRECT;
    String before = newName();
    String name = newName();
    use.reserve(here, before).close();
    BloomFilter<String> filter = use.reserve(here, name);
    here.admin(name).grow(9000);
    try (Connection connection =
        ByHand.transaction(
            schema.dataSource().getConnection(), Connection.TRANSACTION_REPEATABLE_READ)) {
      assertThat(filter.within(connection).add("x")).isTrue();
      there.admin(before).grow(9000);
      use.reserve(there, newName()).close();
      connection.rollback();
    }
  }

  @Test
  void aPoolOfOneConnectionGoesOnInTransactionsOfCallers() throws SQLException {
    Use use = Use.MIRRORED;
    BloomFilter<String> mine = reserveWithA(use);
    String name = mine.name();
    HikariDataSource pool = schema.pool(settings -> settings.setMaximumPoolSize(1));
    try (SlotBloom single = SlotBloom.on(pool)) {
      BloomFilter<String> filter = use.open(single, name);
      try (Connection connection = ByHand.transaction(pool.getConnection())) {
        assertThat(mine.add("before")).isTrue();
        here.admin(name).grow(9000);
        assertThat(mine.add("after")).isTrue();
        TransactionalWrites<String> adds = filter.within(connection);
        assertThat(adds.addEach(List.of("a", "before", "after", "b")))
            .containsExactly(false, false, false, true);
        assertThat(adds.addEach(List.of("b", "after", "c"))).containsExactly(false, false, true);
        connection.commit();
      }
    }
    assertThat(mine.addEach(List.of("b", "c", "d"))).containsExactly(false, false, true);
    assertThat(here.info(mine.name()).keysAdded()).isEqualTo(6);
  }
}
