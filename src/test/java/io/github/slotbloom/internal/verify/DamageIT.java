package io.github.slotbloom.internal.verify;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.github.slotbloom.BloomFilter;
import io.github.slotbloom.FilterOptions;
import io.github.slotbloom.FilterSpec;
import io.github.slotbloom.SlotBloom;
import io.github.slotbloom.core.KeyType;
import io.github.slotbloom.core.Layout;
import io.github.slotbloom.error.CorruptFilterException;
import io.github.slotbloom.error.SchemaException;
import io.github.slotbloom.error.SlotBloomException;
import io.github.slotbloom.testing.AfterDatabase;
import io.github.slotbloom.testing.BeforeDatabase;
import io.github.slotbloom.testing.ByHand;
import io.github.slotbloom.testing.DatabaseContract;
import io.github.slotbloom.testing.ExpectedLog;
import io.github.slotbloom.testing.Fixture;
import io.github.slotbloom.testing.KnownLogs;
import io.github.slotbloom.testing.PossibleLog;
import io.github.slotbloom.testing.Reloads;
import io.github.slotbloom.testing.Sql;
import io.github.slotbloom.testing.TappedConnections;
import io.github.slotbloom.testing.TestSchema;
import io.github.slotbloom.testing.Use;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.Timeout;

/** Tables that were damaged, or restored from a backup, are noticed rather than believed. */
@DatabaseContract
@Timeout(180)
@PossibleLog(KnownLogs.FOLDING_FAILED)
@PossibleLog(KnownLogs.MIRROR_RELOADED)
@PossibleLog(KnownLogs.USAGE_NOT_RECORDED)
class DamageIT {

  private static final FilterOptions OPTIONS =
      FilterOptions.defaults().timeout(Duration.ofSeconds(3));

  @Fixture private static TestSchema schema;
  private static SlotBloom bloom;

  /** What this opens, no other process has open. */
  private static SlotBloom elsewhere;

  @Fixture private static Sql sql;
  private static Reloads reloads;

  private String name;
  private BloomFilter<String> filter;

  @BeforeDatabase
  static void migrate() {
    reloads = new Reloads();
    bloom =
        SlotBloom.builder(schema.pool(pool -> pool.setMaximumPoolSize(4)))
            .listener(reloads)
            .build();
    bloom.migrate();
    elsewhere = SlotBloom.on(schema.pool(pool -> pool.setMaximumPoolSize(4)));
  }

  @AfterDatabase
  static void close() {
    elsewhere.close();
    bloom.close();
  }

  /** Three folded entries with a key each. */
  @BeforeEach
  void reserve(TestInfo test) {
    name = "f" + Math.abs((test.getDisplayName() + test.getTestMethod()).hashCode());
    filter = bloom.reserve(name, Use.MIRRORED.spec(KeyType.text()), OPTIONS);
    for (String key : List.of("a", "b", "c")) {
      assertThat(filter.add(key)).isTrue();
    }
    bloom.admin(filter.name()).fold();
    assertThat(filter.mightContain("z")).isFalse();
  }

  private BloomFilter<String> reopened() {
    return elsewhere.open(name, KeyType.text(), OPTIONS);
  }

  private BloomFilter<String> reopenedWithoutMirror() {
    return bloom.open(name, KeyType.text(), OPTIONS.withoutMirror());
  }

  private static void assertRefusedAtOpening(List<ThrowingCallable> openings, String... words) {
    for (ThrowingCallable opening : openings) {
      assertThatThrownBy(opening)
          .isInstanceOf(CorruptFilterException.class)
          .hasMessageContainingAll(words);
    }
  }

  private long id() throws SQLException {
    return sql.number("SELECT id FROM bloom_filter WHERE name = ?", name);
  }

  @Test
  void slotsBeyondTheBitArrayAreRefused() throws SQLException {
    long slots = bloom.info(name).generations().get(0).bits() / 64;
    sql.run("INSERT INTO " + sql.slots(name, 1) + " VALUES (?, 1)", slots);
    assertRefusedAtOpening(
        List.of(this::reopened, this::reopenedWithoutMirror), "Slot " + slots, sql.slots(name, 1));
    // Who has it open never looks there.
    assertThat(filter.mightContainEach(List.of("a", "z"))).containsExactly(true, false);
    sql.run("DELETE FROM " + sql.slots(name, 1) + " WHERE slot = ?", slots);
    assertThat(reopened().mightContain("a")).isTrue();
  }

  @Test
  void bitsBeyondTheBitArrayInTheLastSlotAreRefused() throws SQLException {
    FilterSpec<String> spec =
        FilterSpec.builder(KeyType.text())
            .capacity(10)
            .layout(Layout.STANDARD)
            .explicitSize(130, 3)
            .build();
    bloom.reserve("odd", spec).close();
    sql.run("INSERT INTO " + sql.slots("odd", 1) + " VALUES (2, 3)");
    bloom.open("odd", spec).close();
    sql.run("UPDATE " + sql.slots("odd", 1) + " SET bits = 4 WHERE slot = 2");
    assertRefusedAtOpening(
        List.of(
            () -> bloom.open("odd", spec), () -> bloom.open("odd", spec, OPTIONS.withoutMirror())),
        "Slot 2",
        sql.slots("odd", 1),
        "130");
  }

  @Test
  @ExpectedLog(KnownLogs.MIRROR_RELOADED)
  void aFoldedEntryThatWasRewrittenMakesTheMirrorReload() throws SQLException {
    try (Connection other = schema.dataSource().getConnection()) {
      other.setAutoCommit(false);
      ByHand.append(other, name, "d", 4711);
      Sql.run(
          other,
          "UPDATE bloom_journal SET previous_token = previous_token + 1 WHERE filter_id = ? AND"
              + " token = 4711",
          id());
      Sql.run(other, "UPDATE bloom_fold SET folded_seq = 4 WHERE filter_id = ?", id());
      other.commit();
    }
    // The slots are what counts after the fold, and nobody put "d" there.
    assertThat(filter.mightContainEach(List.of("a", "b", "c", "d")))
        .containsExactly(true, true, true, false);
    assertThat(reloads.of(name))
        .hasSize(1)
        .allMatch(told -> told.startsWith(name + ": its journal"));
    assertThat(filter.add("e")).isTrue();
  }

  @Test
  void aCatalogThatIsOlderThanTheSlotsIsRefused() throws SQLException {
    filter.addEach(List.of("d"));
    bloom.admin(filter.name()).fold();
    setCatalogBackTo3();
    assertRefused();
  }

  @Test
  void aCatalogThatIsOlderThanTheJournalIsRefused() throws SQLException {
    try (Connection other = schema.dataSource().getConnection()) {
      other.setAutoCommit(false);
      ByHand.append(other, name, "d", 4711);
      ByHand.append(other, name, "e", 4712);
      Sql.run(
          other,
          "UPDATE bloom_journal SET last_seq = last_seq - 2 WHERE seq = 0 AND filter_id = ?",
          id());
      other.commit();
    }
    setCatalogBackTo3();
    assertRefused();
  }

  private void setCatalogBackTo3() throws SQLException {
    sql.run(
        "UPDATE bloom_journal e JOIN bloom_journal third ON third.filter_id = e.filter_id"
            + " AND third.seq = 3 SET e.last_seq = third.seq, e.token = third.token"
            + " WHERE e.filter_id = ? AND e.seq = 0",
        id());
  }

  private void assertRefused() {
    // The journal has that number already, if the mirror does not see it before.
    assertThatThrownBy(() -> filter.add("f")).isInstanceOf(SlotBloomException.class);
    assertThatThrownBy(() -> filter.mightContain("f")).isInstanceOf(CorruptFilterException.class);
    assertThatThrownBy(this::reopened).isInstanceOf(CorruptFilterException.class);
    BloomFilter<String> direct = reopenedWithoutMirror();
    assertThatThrownBy(() -> direct.add("f")).isInstanceOf(CorruptFilterException.class);
    assertThatThrownBy(() -> direct.mightContain("f")).isInstanceOf(CorruptFilterException.class);
  }

  @Test
  void aMissingSlotTableIsToldAndLosesNoKey() throws SQLException {
    String table = sql.slots(name, 1);
    sql.run("RENAME TABLE " + table + " TO hidden");
    // Neither the mirror nor the journal needs it.
    assertThat(filter.add("d")).isTrue();
    assertThat(filter.mightContainEach(List.of("a", "d", "z"))).containsExactly(true, true, false);
    assertTableIsMissing(() -> bloom.admin(filter.name()).fold(), table);
    assertTableIsMissing(this::reopened, table);
    sql.run("RENAME TABLE hidden TO " + table);
    assertThat(filter.mightContainEach(List.of("a", "d", "z"))).containsExactly(true, true, false);
    assertThat(filter.add("d")).isFalse();
    bloom.admin(filter.name()).fold();
    assertThat(reopened().mightContainEach(List.of("a", "d"))).containsOnly(true);
    assertThat(bloom.info(filter.name()).keysAdded()).isEqualTo(4);
  }

  private void assertTableIsMissing(ThrowingCallable call, String table) {
    assertThatThrownBy(call)
        .isInstanceOf(SchemaException.class)
        .hasMessageContaining("Filter " + name)
        .hasMessageContaining(table)
        .hasMessageContaining("Check that its tables exist");
  }

  @Test
  @ExpectedLog(value = "folding filter \\w+_own failed", times = 1)
  void theFolderWarnsOnceOfALastingFailure() throws SQLException {
    // Nobody else has this one, or ever had, who would fold it as well.
    String own = name + "_own";
    TappedConnections tapped = new TappedConnections(schema.dataSource());
    try (SlotBloom folding = SlotBloom.on(tapped.dataSource())) {
      BloomFilter<String> open = folding.reserve(own, Use.MIRRORED.spec(KeyType.text()), OPTIONS);
      sql.run("RENAME TABLE " + sql.slots(own, 1) + " TO hidden_from_folder");
      assertThat(open.add("d")).isTrue();
      int rollbacks = tapped.rollbacks();
      await().until(() -> tapped.rollbacks() >= rollbacks + 3);
      sql.run("RENAME TABLE hidden_from_folder TO " + sql.slots(own, 1));
      await()
          .until(
              () ->
                  sql.number(
                          "SELECT folded_seq FROM bloom_fold WHERE filter_id = (SELECT id FROM bloom_filter WHERE name = ?)",
                          own)
                      == 1);
    }
  }
}
