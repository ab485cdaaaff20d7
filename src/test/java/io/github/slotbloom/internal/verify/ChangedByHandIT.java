package io.github.slotbloom.internal.verify;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.github.slotbloom.BloomFilter;
import io.github.slotbloom.SlotBloom;
import io.github.slotbloom.core.KeyType;
import io.github.slotbloom.error.CorruptFilterException;
import io.github.slotbloom.error.FilterMismatchException;
import io.github.slotbloom.error.SlotBloomException;
import io.github.slotbloom.error.UnsupportedVersionException;
import io.github.slotbloom.internal.context.FollowedFilter;
import io.github.slotbloom.internal.fold.Backlog;
import io.github.slotbloom.internal.fold.Folder;
import io.github.slotbloom.internal.opened.EngineBloomFilter;
import io.github.slotbloom.internal.store.journal.Journal;
import io.github.slotbloom.internal.store.journal.Pulse;
import io.github.slotbloom.internal.store.session.Database;
import io.github.slotbloom.internal.time.TimeSource;
import io.github.slotbloom.testing.Backgrounds;
import io.github.slotbloom.testing.Backup;
import io.github.slotbloom.testing.BeforeDatabase;
import io.github.slotbloom.testing.ByHand;
import io.github.slotbloom.testing.DatabaseContract;
import io.github.slotbloom.testing.Fixture;
import io.github.slotbloom.testing.KnownLogs;
import io.github.slotbloom.testing.PossibleLog;
import io.github.slotbloom.testing.Sql;
import io.github.slotbloom.testing.StoredManifest;
import io.github.slotbloom.testing.TestSchema;
import io.github.slotbloom.testing.Use;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Somebody changed the catalog rows of a filter, or a newer version of this library did. */
@DatabaseContract
@Timeout(180)
@PossibleLog(KnownLogs.FOLDING_FAILED)
@PossibleLog(KnownLogs.MIRROR_RELOADED)
@PossibleLog(KnownLogs.USAGE_NOT_RECORDED)
class ChangedByHandIT {

  private static final Use USE = Use.MIRRORED;

  @Fixture private static TestSchema schema;
  @Fixture private static SlotBloom operator;
  @Fixture private static Sql sql;

  /** Of each test, so that no filter of an earlier one is open while a row is changed. */
  private final SlotBloom bloom = SlotBloom.on(schema.dataSource());

  @BeforeDatabase
  static void reserve() {
    Use.reserveEach(operator, "a");
  }

  @AfterEach
  void close() {
    bloom.close();
  }

  private BloomFilter<String> open(Use use) {
    return use.open(bloom, use.filterName(), Duration.ofSeconds(5));
  }

  private static long id(Use use) throws SQLException {
    return sql.number("SELECT id FROM bloom_filter WHERE name = ?", use.filterName());
  }

  private interface Check {
    void run() throws Exception;
  }

  /** Puts the value back afterwards. In place of a table, the manifest can be changed. */
  private static void withChanged(Use use, String table, String column, Object value, Check check)
      throws Exception {
    if (table.equals("manifest")) {
      withManifest(use, column, value, check);
      return;
    }
    long id = id(use);
    String where = " WHERE " + (table.equals("bloom_filter") ? "id" : "filter_id") + " = ?";
    String before = sql.text("SELECT " + column + " FROM " + table + where, id);
    assertThat(sql.run("UPDATE " + table + " SET " + column + " = ?" + where, value, id)).isOne();
    try {
      check.run();
    } finally {
      sql.run("UPDATE " + table + " SET " + column + " = ?" + where, before, id);
    }
  }

  private static void withManifest(Use use, String field, Object value, Check check)
      throws Exception {
    StoredManifest manifest = new StoredManifest(sql, use.filterName());
    String before = manifest.text();
    manifest.set(1, field, value);
    try {
      check.run();
    } finally {
      manifest.write(before);
    }
  }

  private static void withFilterChanged(Use use, String column, Object value, Check check)
      throws Exception {
    withChanged(use, "bloom_filter", column, value, check);
  }

  /** Every way to add a key that is not known. */
  private static List<ThrowingCallable> adds(BloomFilter<String> filter, String key) {
    return List.of(
        () -> filter.add(key),
        () -> filter.addEach(List.of(key, key + "2")),
        () -> {
          try {
            filter.addAsync(key).get(60, TimeUnit.SECONDS);
          } catch (ExecutionException e) {
            throw e.getCause();
          }
        },
        () -> ByHand.addAndRollBack(filter, key, schema.dataSource().getConnection()));
  }

  @ParameterizedTest
  @CsvSource({
    "bloom_filter, capacity, 0",
    "bloom_filter, capacity, 1099511627777",
    "bloom_filter, false_positive_rate, 0",
    "bloom_filter, false_positive_rate, -0.5",
    "bloom_filter, false_positive_rate, 1.5",
    "bloom_filter, lease_millis, 0",
    "bloom_filter, lease_millis, 3600000",
    "manifest, capacity, 0",
    "manifest, rate, 2.5",
    "manifest, bits, 0",
    "manifest, bits, 5000",
    "manifest, bits, 4398046511616",
    "manifest, hashes, 0",
    "manifest, hashes, 65",
    "bloom_filter, manifest_token, 4711",
    "bloom_filter, label, it`s"
  })
  void impossibleValuesAreRefusedWhenAFilterIsOpened(String table, String column, String value)
      throws Exception {
    Use use = Use.MIRRORED;
    withChanged(
        use,
        table,
        column,
        value,
        () -> {
          for (ThrowingCallable opening :
              List.<ThrowingCallable>of(
                  () -> open(use),
                  () -> bloom.open(use.filterName(), KeyType.text(), Use.DIRECT.options()),
                  () -> bloom.open(use.filterName(), use.spec(KeyType.text())),
                  () -> bloom.info(use.filterName()))) {
            assertThatThrownBy(opening)
                .isInstanceOf(CorruptFilterException.class)
                .hasMessageContaining("Filter " + use.filterName())
                .hasMessageContaining(column)
                .hasMessageContaining(value)
                .hasMessageContaining("Restore the row");
          }
        });
    assertThat(open(use).mightContain("a")).isTrue();
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "[]", "{}", "not json", "{\"seq\":0", "9"})
  void aManifestThatSlotbloomNeverWritesIsRefused(String text) throws Exception {
    StoredManifest manifest = new StoredManifest(sql, USE.filterName());
    String before = manifest.text();
    // A blank is enough, though it means the same.
    for (String wrong : List.of(text, before.replace(":0,", ": 0,"))) {
      manifest.write(wrong);
      try {
        for (ThrowingCallable call :
            List.<ThrowingCallable>of(() -> bloom.info(USE.filterName()), () -> open(USE))) {
          assertThatThrownBy(call)
              .isInstanceOf(CorruptFilterException.class)
              .hasMessageContaining("Filter " + USE.filterName() + " has a manifest of which it is")
              .hasMessageContaining("not of the form that Slotbloom writes");
        }
      } finally {
        manifest.write(before);
      }
    }
    assertThat(open(USE).mightContain("a")).isTrue();
  }

  @Test
  void aFilterWithAMissingRowIsNotTakenForDropped() throws Exception {
    BloomFilter<String> filter = open(USE);
    Backup backup = Backup.of(schema.dataSource(), USE.filterName());
    sql.run("DELETE FROM bloom_fold WHERE filter_id = ?", id(USE));
    for (ThrowingCallable call :
        List.<ThrowingCallable>of(
            () -> bloom.info(USE.filterName()), () -> open(USE).mightContain("b"))) {
      assertThatThrownBy(call)
          .isInstanceOf(CorruptFilterException.class)
          .hasMessageContaining("Filter " + USE.filterName() + " has no row in bloom_fold");
    }
    backup.restore(schema.dataSource());
    assertThat(filter.mightContainEach(List.of("a", "b"))).containsExactly(true, false);
    filter.close();
  }

  /** It says which tables there are, and nothing of the keys. */
  @Test
  void aFilterAnswersWithoutTheRowsOfItsTables() throws SQLException {
    for (Use use : Use.values()) {
      BloomFilter<String> before = open(use);
      sql.run("DELETE FROM bloom_table WHERE filter_id = ?", id(use));
      for (BloomFilter<String> filter : List.of(before, open(use))) {
        assertThat(filter.mightContainEach(List.of("a", "b"))).containsExactly(true, false);
        assertThat(filter.add("a")).isFalse();
        ByHand.addAndRollBack(filter, "a", schema.dataSource().getConnection());
      }
      assertThat(before.add("without rows")).isTrue();
      bloom.admin(before.name()).fold();
      assertThat(open(use).mightContain("without rows")).isTrue();
      sql.run("INSERT INTO bloom_table (filter_id, generation, made) VALUES (?, 1, TRUE)", id(use));
    }
  }

  @ParameterizedTest
  @CsvSource({
    "seed, 7, seed was 0 and is 7",
    "hash, murmur9, hash was xxh3_64 and is murmur9",
    "key_type, int64, key type was text and is int64",
    "layout, STANDARD, layout was BLOCKED and is STANDARD",
    "lease_millis, 900, lease in milliseconds was 2000 and is 900"
  })
  void anOpenFilterRefusesAddsAfterAChange(String column, String value, String difference)
      throws Exception {
    for (Use use : Use.values()) {
      BloomFilter<String> filter = open(use);
      long keys = bloom.info(filter.name()).keysAdded();
      withFilterChanged(
          use,
          column,
          value,
          () -> {
            for (ThrowingCallable add : adds(filter, "key under another " + column)) {
              assertRefused(add, use, difference);
            }
            if (!use.mirrored) {
              assertRefused(() -> filter.mightContain("a"), use, difference);
              assertRefused(() -> filter.mightContainEach(List.of("a", "b")), use, difference);
            } else {
              // Its memory is of its own make.
              assertThat(filter.mightContainEach(List.of("a", "b"))).containsExactly(true, false);
            }
          });
      assertThat(filter.mightContain("key under another " + column)).isFalse();
      assertThat(filter.add("key after another " + column)).isTrue();
      assertThat(bloom.info(filter.name()).keysAdded()).isEqualTo(keys + 1);
      filter.close();
    }
  }

  private static void assertRefused(ThrowingCallable call, Use use, String difference) {
    assertThatThrownBy(call)
        .isInstanceOf(CorruptFilterException.class)
        .hasMessageContaining("filter " + use.filterName())
        .hasMessageContaining(difference)
        .hasMessageContaining("open the filter again");
  }

  /** Folds as a process does that opened the filter before. */
  private static void foldAsOpened(BloomFilter<String> filter) {
    Database database = Database.connect(schema.dataSource());
    new Folder(
            new FollowedFilter(((EngineBloomFilter<String>) filter).record()),
            new Backlog(Long.MAX_VALUE),
            database,
            Backgrounds.inPlace(),
            TimeSource.SYSTEM)
        .foldAll();
  }

  @Test
  void anOpenFilterUsesNoBitsOfAnotherSize() throws Exception {
    BloomFilter<String> filter = open(USE);
    long bits = bloom.info(USE.filterName()).generations().get(0).bits();
    String difference = "bits of generation 1 was " + bits + " and is " + (bits + 512);
    withManifest(
        USE,
        "bits",
        bits + 512,
        () -> {
          // An entry of the journal does not depend on the size.
          assertThat(filter.add("journaled")).isTrue();
          assertRefused(() -> foldAsOpened(filter), USE, difference);
          assertThat(filter.add("lost")).isTrue();
          try (Connection failover = schema.dataSource().getConnection()) {
            failover.setAutoCommit(false);
            long last = bloom.info(USE.filterName()).lastSequence();
            ByHand.loseEntriesAfter(last - 1, id(USE), failover);
            failover.commit();
          }
          // Now the mirror must be reloaded.
          assertRefused(() -> filter.mightContain("b"), USE, difference);
        });
    assertThat(filter.mightContainEach(List.of("a", "journaled", "lost", "b")))
        .containsExactly(true, true, false, false);
    bloom.admin(filter.name()).fold();
    assertThat(open(USE).mightContainEach(List.of("a", "journaled", "b")))
        .containsExactly(true, true, false);
  }

  @ParameterizedTest
  @CsvSource({
    "capacity, 99999",
    "false_positive_rate, 0.5",
    "growable, 0",
    "retention_seconds, 3600"
  })
  void harmlessChangesDoNotDisturbAnOpenFilter(String column, String value) throws Exception {
    Use use = Use.MIRRORED;
    BloomFilter<String> filter = open(use);
    BloomFilter<String> direct = bloom.open(use.filterName(), KeyType.text(), Use.DIRECT.options());
    withFilterChanged(
        use,
        column,
        value,
        () -> {
          assertThat(filter.add(column)).isTrue();
          assertThat(direct.add(column)).isFalse();
          assertThat(direct.mightContain("b")).isFalse();
          bloom.admin(filter.name()).fold();
          assertThat(open(use).mightContain(column)).isTrue();
          if (!column.equals("retention_seconds")) {
            assertThatThrownBy(() -> bloom.open(use.filterName(), use.spec(KeyType.text())))
                .isInstanceOf(FilterMismatchException.class);
          }
        });
  }

  @Test
  void openFiltersRefuseAFormatOfANewerVersion() throws Exception {
    BloomFilter<String> filter = open(USE);
    BloomFilter<String> bounded = Use.openBounded(bloom, USE.filterName(), Duration.ofMinutes(1));
    assertThat(bounded.mightContain("a")).isTrue();
    withFilterChanged(
        USE,
        "format_version",
        60,
        () -> {
          for (ThrowingCallable add : adds(filter, "key in format 60")) {
            assertOfFormat60(add, USE);
          }
          assertOfFormat60(() -> filter.mightContain("b"), USE);
          assertOfFormat60(() -> filter.mightContainEach(List.of("a", "b")), USE);
          assertOfFormat60(() -> bloom.admin(filter.name()).fold(), USE);
          assertOfFormat60(() -> bloom.admin(filter.name()).clear(), USE);
          // Nothing but the end of the lease makes these look.
          await().untilAsserted(() -> assertOfFormat60(() -> bounded.mightContain("b"), USE));
          await().untilAsserted(() -> assertOfFormat60(() -> filter.mightContain("a"), USE));
          assertOfFormat60(() -> bounded.add("a"), USE);
        });
    assertThat(bounded.mightContainEach(List.of("a", "key in format 60")))
        .containsExactly(true, false);
  }

  private static void assertOfFormat60(ThrowingCallable call, Use use) {
    assertThatThrownBy(call)
        .isInstanceOf(UnsupportedVersionException.class)
        .hasMessageContaining("Filter " + use.filterName() + " is stored in format 60");
  }

  @Test
  void anErrorOverAnUnknownKindNamesTheFilter() throws Exception {
    for (Use use : Use.values()) {
      BloomFilter<String> filter = open(use);
      Backup backup = Backup.of(schema.dataSource(), use.filterName());
      try (Connection other = schema.dataSource().getConnection()) {
        other.setAutoCommit(false);
        ByHand.append(other, use.filterName(), "grown", 4711);
        Sql.run(other, "UPDATE bloom_journal SET kind = 'SHRINK' WHERE token = 4711 AND seq > 0");
        other.commit();
      }
      for (ThrowingCallable call :
          List.<ThrowingCallable>of(
              () -> filter.mightContain("b"),
              () -> adds(filter, "c").get(0).call(),
              () -> adds(filter, "c").get(3).call(),
              () -> bloom.admin(filter.name()).fold(),
              () -> open(use).mightContain("b"))) {
        assertThatThrownBy(call)
            .isInstanceOf(UnsupportedVersionException.class)
            .hasMessageContaining("of filter " + use.filterName() + " is of the kind SHRINK");
      }
      backup.restore(schema.dataSource());
      assertThat(filter.add("c")).isTrue();
      filter.close();
    }
  }

  @Test
  void anUnreadableFilterDoesNotHideOthersFromTheHeartbeat() throws Exception {
    long unreadable = id(Use.DIRECT);
    long readable = id(Use.MIRRORED);
    Database database = Database.connect(schema.dataSource());
    withFilterChanged(
        Use.DIRECT,
        "state",
        "FROZEN",
        () -> {
          Map<Long, Pulse> pulses =
              database.read(tx -> Journal.pulses(tx, List.of(unreadable, readable)));
          assertThat(pulses).containsOnlyKeys(readable);
        });
  }

  @Test
  void anErrorOverAnUnknownHashNamesTheFilter() throws Exception {
    withFilterChanged(
        USE,
        "hash",
        "murmur9",
        () ->
            assertThatThrownBy(() -> open(USE))
                .isInstanceOf(SlotBloomException.class)
                .hasMessageContaining("Filter " + USE.filterName())
                .hasMessageContaining("murmur9"));
  }
}
