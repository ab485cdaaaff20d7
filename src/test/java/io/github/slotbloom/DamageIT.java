package io.github.slotbloom;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.slotbloom.core.KeyType;
import io.github.slotbloom.core.Layout;
import io.github.slotbloom.error.CorruptFilterException;
import io.github.slotbloom.error.SlotBloomException;
import io.github.slotbloom.event.SlotBloomListener;
import io.github.slotbloom.testing.AfterDatabase;
import io.github.slotbloom.testing.BeforeDatabase;
import io.github.slotbloom.testing.DatabaseContract;
import io.github.slotbloom.testing.Sql;
import io.github.slotbloom.testing.TestSchema;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.Timeout;

/** Tables that were damaged, or restored from a backup, are noticed rather than believed. */
@DatabaseContract
@Timeout(60)
class DamageIT {

  private static final FilterOptions OPTIONS =
      FilterOptions.defaults().timeout(Duration.ofSeconds(3));

  private static TestSchema schema;
  private static SlotBloom bloom;
  private static Sql sql;
  private static final List<String> RELOADED = new CopyOnWriteArrayList<>();

  private String name;
  private BloomFilter<String> filter;

  @BeforeDatabase
  static void migrate(TestSchema shared) {
    schema = shared;
    sql = new Sql(schema.dataSource());
    SlotBloomListener listener =
        new SlotBloomListener() {
          @Override
          public void reloading(String filter, String reason) {
            RELOADED.add(filter + ": " + reason);
          }
        };
    bloom =
        SlotBloom.builder(schema.pool(pool -> pool.setMaximumPoolSize(4)))
            .listener(listener)
            .build();
    bloom.migrate();
  }

  @AfterDatabase
  static void close() {
    bloom.close();
  }

  /** Three folded entries with a key each. */
  @BeforeEach
  void reserve(TestInfo test) {
    name = "f" + Math.abs((test.getDisplayName() + test.getTestMethod()).hashCode());
    RELOADED.clear();
    filter = bloom.reserve(name, Use.DEFERRED_MIRRORED.spec(KeyType.text()), OPTIONS);
    for (String key : List.of("a", "b", "c")) {
      assertThat(filter.add(key)).isTrue();
    }
    filter.fold();
    assertThat(filter.mightContain("z")).isFalse();
  }

  private BloomFilter<String> reopened() {
    return bloom.open(name, KeyType.text(), OPTIONS);
  }

  private long id() throws SQLException {
    return sql.number("SELECT id FROM bloom_filter WHERE name = ?", name);
  }

  @Test
  void slotsBeyondTheBitArrayAreRefused() throws SQLException {
    long slots = bloom.info(name).generations().get(0).bits() / 64;
    sql.run("INSERT INTO bloom_bits_" + name + "_v1 VALUES (?, 1)", slots);
    assertThatThrownBy(this::reopened)
        .isInstanceOf(CorruptFilterException.class)
        .hasMessageContaining("Slot " + slots)
        .hasMessageContaining("bloom_bits_" + name + "_v1");
    sql.run("DELETE FROM bloom_bits_" + name + "_v1 WHERE slot = ?", slots);
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
    sql.run("INSERT INTO bloom_bits_odd_v1 VALUES (2, 3)");
    bloom.open("odd", spec).close();
    sql.run("UPDATE bloom_bits_odd_v1 SET bits = 4 WHERE slot = 2");
    assertThatThrownBy(() -> bloom.open("odd", spec)).isInstanceOf(CorruptFilterException.class);
  }

  @Test
  void aDamagedPayloadIsRefused() throws SQLException {
    try (Connection other = schema.dataSource().getConnection()) {
      other.setAutoCommit(false);
      ByHand.append(other, name, "d", 4711);
      Sql.run(
          other,
          "UPDATE bloom_journal SET payload = LEFT(payload, 7) WHERE filter_id = ? AND token ="
              + " 4711",
          id());
      other.commit();
    }
    assertThatThrownBy(() -> filter.mightContain("d"))
        .isInstanceOf(CorruptFilterException.class)
        .hasMessageContaining("7 bytes");
    assertThatThrownBy(() -> filter.add("e")).isInstanceOf(CorruptFilterException.class);
    assertThatThrownBy(filter::fold).isInstanceOf(CorruptFilterException.class);
    assertThatThrownBy(this::reopened).isInstanceOf(CorruptFilterException.class);
  }

  @Test
  void aMissingEntryIsRefused() throws SQLException {
    try (Connection other = schema.dataSource().getConnection()) {
      other.setAutoCommit(false);
      ByHand.append(other, name, "d", 4711);
      ByHand.append(other, name, "e", 4712);
      Sql.run(other, "DELETE FROM bloom_journal WHERE filter_id = ? AND token = 4711", id());
      other.commit();
    }
    assertThatThrownBy(() -> filter.mightContain("e")).isInstanceOf(CorruptFilterException.class);
    assertThatThrownBy(filter::fold).isInstanceOf(CorruptFilterException.class);
    assertThatThrownBy(this::reopened).isInstanceOf(CorruptFilterException.class);
    assertThat(RELOADED).anyMatch(told -> told.startsWith(name));
  }

  @Test
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
    assertThat(RELOADED).hasSize(1).allMatch(told -> told.startsWith(name + ": its journal"));
    assertThat(filter.add("e")).isTrue();
  }

  @Test
  void aBackupThatWasRestoredMakesTheMirrorReload() throws SQLException {
    List<String> tables =
        List.of("bloom_filter", "bloom_fold", "bloom_journal", "bloom_bits_" + name + "_v1");
    for (String table : tables) {
      sql.run("CREATE TABLE copy_of_" + table + " AS SELECT * FROM " + table);
    }
    assertThat(filter.addEach(List.of("d", "e"))).containsOnly(true);
    filter.fold();
    assertThat(filter.mightContain("d")).isTrue();
    try (Connection restore = schema.dataSource().getConnection()) {
      restore.setAutoCommit(false);
      for (String table : tables) {
        Sql.run(restore, "DELETE FROM " + table);
        Sql.run(restore, "INSERT INTO " + table + " SELECT * FROM copy_of_" + table);
      }
      restore.commit();
    }
    assertThat(filter.mightContain("z")).isFalse();
    assertThat(RELOADED).hasSize(1).allMatch(told -> told.contains("backup"));
    assertThat(filter.mightContainEach(List.of("a", "b", "c", "d", "e")))
        .containsExactly(true, true, true, false, false);
    assertThat(filter.add("d")).isTrue();
    for (String table : tables) {
      sql.run("DROP TABLE copy_of_" + table);
    }
  }

  @Test
  void aCatalogThatIsOlderThanTheSlotsIsRefused() throws SQLException {
    filter.addEach(List.of("d"));
    filter.fold();
    setCatalogBackTo3();
    assertRefused();
  }

  @Test
  void aCatalogThatIsOlderThanTheJournalIsRefused() throws SQLException {
    try (Connection other = schema.dataSource().getConnection()) {
      other.setAutoCommit(false);
      ByHand.append(other, name, "d", 4711);
      ByHand.append(other, name, "e", 4712);
      Sql.run(other, "UPDATE bloom_filter SET last_seq = last_seq - 2 WHERE name = ?", name);
      other.commit();
    }
    setCatalogBackTo3();
    assertRefused();
  }

  private void setCatalogBackTo3() throws SQLException {
    sql.run(
        "UPDATE bloom_filter SET last_seq = 3, last_token ="
            + " (SELECT token FROM bloom_journal WHERE filter_id = ? AND seq = 3) WHERE name = ?",
        id(),
        name);
  }

  private void assertRefused() {
    // The journal has that number already, if the mirror does not see it before.
    assertThatThrownBy(() -> filter.add("f")).isInstanceOf(SlotBloomException.class);
    assertThatThrownBy(() -> filter.mightContain("f")).isInstanceOf(CorruptFilterException.class);
    assertThatThrownBy(this::reopened).isInstanceOf(CorruptFilterException.class);
    BloomFilter<String> direct = bloom.open(name, KeyType.text(), OPTIONS.withoutMirror());
    assertThatThrownBy(() -> direct.add("f")).isInstanceOf(SlotBloomException.class);
  }
}
