package io.github.slotbloom.internal.verify;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.slotbloom.BloomFilter;
import io.github.slotbloom.FilterOptions;
import io.github.slotbloom.FilterSpec;
import io.github.slotbloom.KeySource;
import io.github.slotbloom.ReplaceOptions;
import io.github.slotbloom.VerifyOptions;
import io.github.slotbloom.core.KeyType;
import io.github.slotbloom.core.OnFull;
import io.github.slotbloom.report.Check;
import io.github.slotbloom.report.Finding;
import io.github.slotbloom.report.Finding.Kind;
import io.github.slotbloom.report.Finding.Severity;
import io.github.slotbloom.report.KeyExplanation;
import io.github.slotbloom.report.KeyExplanation.Entry;
import io.github.slotbloom.report.VerifyReport;
import io.github.slotbloom.report.VerifyReport.Checked;
import io.github.slotbloom.testing.ByHand;
import io.github.slotbloom.testing.DatabaseContract;
import io.github.slotbloom.testing.Instances;
import io.github.slotbloom.testing.Removing;
import io.github.slotbloom.testing.VerifiedFilters;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Verifying knows which keys are removed, and finds and repairs what the tables say wrongly. */
@DatabaseContract(shortLeases = true)
class VerifyRemovedIT extends VerifiedFilters {

  /** What is done to the table, and what is to be found. */
  private enum Damage {
    ROW_DELETED("DELETE FROM $r WHERE hash = $h10", true),
    ROWS_DELETED("DELETE FROM $r", true),
    ROW_OF_A_KEY_THAT_IS_BACK("INSERT INTO $r VALUES ($h2, 4)", true),
    ROW_OF_AN_OLDER_ENTRY("UPDATE $r SET seq = 2 WHERE hash = $h10", true),
    ROW_FROM_THE_FUTURE("UPDATE $r SET seq = 999 WHERE hash = $h10", true),
    ROW_OF_A_MEMBER("INSERT INTO $r VALUES ($h100, 4)", false),
    ROW_OF_NO_KEY("INSERT INTO $r VALUES (4711, 3)", false),
    TABLE_GONE("DROP TABLE $r", false);

    final String sql;
    final boolean mendable;

    Damage(String sql, boolean mendable) {
      this.sql = sql;
      this.mendable = mendable;
    }
  }

  /** Keys 0 to 19 are removed by entry 4, keys 0 to 4 are back by entry 5, 20 to 24 go with 6. */
  private static void reserveRemovable(String name, boolean retained) {
    reserve(name, (retained ? spec().retainHashes() : spec()).buildRemovable(50));
    try (BloomFilter<String> filter = bloom.open(name, KeyType.text())) {
      Removing.from(filter).removeEach(keys(0, 20));
      filter.addEach(keys(0, 5));
      Removing.from(filter).removeEach(keys(20, 25));
      bloom.admin(filter.name()).fold();
    }
  }

  private static void damage(String statement, String name) throws SQLException {
    run(
        statement
            .replace("$r", sql.removed(name))
            .replace("$h100", Long.toString(ByHand.hash("key 100")))
            .replace("$h10", Long.toString(ByHand.hash("key 10")))
            .replace("$h2", Long.toString(ByHand.hash("key 2"))),
        name);
  }

  private static boolean[] answers(String name) {
    FilterOptions options = FilterOptions.defaults().withoutMirror();
    try (BloomFilter<String> filter = bloom.open(name, KeyType.text(), options)) {
      return filter.mightContainEach(keys(0, 30));
    }
  }

  @ParameterizedTest
  @EnumSource
  void verifyingFindsExactlyTheDamage(Damage damage) throws SQLException {
    String name = damage.name().toLowerCase(Locale.ROOT);
    reserveRemovable(name, false);
    assertSound(verify(name));
    boolean[] before = answers(name);

    damage(damage.sql, name);
    VerifyReport report = verify(name);

    assertThat(report.findings()).as(name).isNotEmpty();
    assertThat(report.findings()).extracting(Finding::kind).containsOnly(Kind.REMOVED_KEYS);
    assertThat(report.findings()).extracting(Finding::severity).containsOnly(Severity.DAMAGE);
    assertThat(report.findings()).hasSize(damage == Damage.ROWS_DELETED ? 20 : 1);

    VerifyReport repaired = repair(name);
    assertThat(repaired.sound()).as(name).isEqualTo(damage.mendable);
    if (damage.mendable) {
      assertThat(repaired.repaired()).hasSize(1);
      assertSound(verify(name));
      assertThat(answers(name)).isEqualTo(before);
      assertThat(bloom.info(name).keysRemoved()).isEqualTo(20);
    } else {
      assertThat(repaired.repaired()).isEmpty();
    }
  }

  @Test
  void aFilterThatWasMadePermanentByHandIsDamaged() throws SQLException {
    reserveRemovable("forgotten", false);
    run("UPDATE bloom_filter SET removable_percent = NULL WHERE $i", "forgotten");
    assertThat(verify("forgotten").findings())
        .extracting(Finding::kind)
        .containsExactly(Kind.PARAMETERS);
  }

  @Test
  void aRepairOfRemovedKeysReachesProcessesThatHaveTheFilterOpen() throws SQLException {
    reserveRemovable("heard", false);
    damage("DELETE FROM $r WHERE hash = $h10", "heard");
    damage("INSERT INTO $r VALUES ($h2, 4)", "heard");
    try (BloomFilter<String> misled = bloom.open("heard", KeyType.text())) {
      assertThat(misled.mightContainEach(List.of("key 10", "key 2"))).containsExactly(true, false);
      assertThat(repair("heard").sound()).isTrue();
      assertThat(misled.mightContainEach(List.of("key 10", "key 2"))).containsExactly(false, true);
    }
  }

  @Test
  void aRepairOfLostBitsBringsNoRemovedKeyBack() throws SQLException {
    reserveRemovable("lost", true);
    boolean[] before = answers("lost");
    run("DELETE FROM $t", "lost");
    assertThat(verify("lost").findings()).extracting(Finding::kind).contains(Kind.BITS_MISSING);
    assertThat(repair("lost").sound()).isTrue();
    assertSound(verify("lost"));
    assertThat(answers("lost")).isEqualTo(before);
    try (BloomFilter<String> filter = bloom.open("lost", KeyType.text())) {
      assertThat(filter.mightContainEach(keys(0, 30))).isEqualTo(before);
      assertThat(Removing.from(filter).remove("key 10")).isFalse();
      assertThat(filter.add("key 10")).isTrue();
    }
    assertSound(verify("lost"));
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void removalsAndReturnsThatAreNotFoldedAreSound(boolean retained) throws SQLException {
    String name = retained ? "unfolded_r" : "unfolded";
    reserveRemovable(name, retained);
    try (BloomFilter<String> filter = bloom.open(name, KeyType.text());
        Connection folding =
            ByHand.holdingFoldLockOf(bloom.info(name).id(), schema.dataSource().getConnection())) {
      Removing.from(filter).removeEach(keys(30, 40));
      filter.addEach(keys(10, 15));
      filter.addEach(keys(300, 310));
      Removing.from(filter).remove("key 305");
      assertSound(verify(name));
      assertThat(bloom.info(name).keysRemoved()).isEqualTo(26);
      assertThat(bloom.info(name).keysAdded()).isEqualTo(retained ? 284 : 310);
      assertThat(bloom.info(name).keysSet()).isEqualTo(310);
      assertThat(bloom.info(name).removableKeys()).isEqualTo(bloom.info(name).capacity());
      // A part of a batch may be in the table before its entries count as folded.
      damage("INSERT INTO $r VALUES (" + ByHand.hash("key 31") + ", 7)", name);
      assertSound(verify(name));
      folding.rollback();
    }
    bloom.admin(name).fold();
    assertSound(verify(name));
  }

  @Test
  void rowsThatAreOlderThanTheJournalAreTakenForRight() throws SQLException {
    reserveRemovable("trimmed", false);
    trimTo("trimmed", 5);
    assertSound(verify("trimmed"));
    damage("DELETE FROM $r WHERE hash = $h10", "trimmed");
    assertSound(verify("trimmed"));
    // A hash that no slot has was never removed.
    damage("INSERT INTO $r VALUES (4711, 4)", "trimmed");
    assertThat(verify("trimmed").findings())
        .extracting(Finding::kind)
        .containsOnly(Kind.BITS_MISSING);
  }

  @Test
  void aRemovedHashAmongTheRetainedOnesIsFound() throws SQLException {
    reserveRemovable("blocks", true);
    run(
        "INSERT INTO bloom_hash_block SELECT filter_id, 0, -9223372036854775808, LEFT(payload, 8)"
            + " FROM bloom_journal WHERE $f AND seq = 1",
        "blocks");
    assertThat(
            sql.number(
                "SELECT CAST(CONV(HEX(LEFT(payload, 8)), 16, -10) AS SIGNED) FROM bloom_journal"
                    + " WHERE filter_id = ? AND seq = 1",
                id("blocks")))
        .isEqualTo(ByHand.hash("key 0"));
    // It is back, and in the journal.
    assertSound(verify("blocks"));
    try (BloomFilter<String> filter = bloom.open("blocks", KeyType.text())) {
      Removing.from(filter).remove("key 0");
      filter.add("key 300");
      bloom.admin(filter.name()).fold();
    }
    // The entry that removed it is still in the journal.
    assertSound(verify("blocks"));
    trimTo("blocks", 7);
    assertThat(verify("blocks").findings())
        .extracting(Finding::kind)
        .contains(Kind.RETAINED_HASHES);
  }

  @Test
  void rowsFromBeforeAFilterWasRebuiltAreCountedApart() throws SQLException {
    reserveRemovable("rebuilt", false);
    List<String> source = Stream.concat(keys(0, 5).stream(), keys(25, 300).stream()).toList();
    bloom
        .admin("rebuilt")
        .replace(
            3000,
            KeySource.of("a list", KeyType.text(), source::stream),
            ReplaceOptions.defaults().forced());
    damage("INSERT IGNORE INTO $r VALUES ($h10, 4), ($h2, 4)", "rebuilt");
    try (BloomFilter<String> filter = bloom.open("rebuilt", KeyType.text())) {
      assertThat(Removing.from(filter).remove("key 3")).isTrue();
      bloom.admin(filter.name()).fold();
    }
    VerifyReport report = verify("rebuilt");
    assertThat(report.findings())
        .as("hashes that were forgotten since they were removed")
        .extracting(Finding::kind)
        .doesNotContain(Kind.HASH_MISSING, Kind.REMOVED_KEYS, Kind.BITS_MISSING);
    assertThat(report.checked())
        .filteredOn(checked -> checked.check() == Check.REMOVED_KEYS)
        .extracting(Checked::what)
        .containsExactly("rows from before it was rebuilt", "removed hashes");
  }

  /** With false positives, so that keys are removed that were never added. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aFilterIsSoundWhileKeysAreRemovedAndComeBack(boolean retained) throws Exception {
    String name = retained ? "busy_r" : "busy";
    FilterSpec.Builder<String> spec =
        FilterSpec.builder(KeyType.text())
            .capacity(20_000)
            .falsePositiveRate(0.01)
            .onFull(OnFull.DEGRADE);
    bloom.reserve(name, (retained ? spec.retainHashes() : spec).buildRemovable(100)).close();
    trimTo(name, 0);
    VerifyOptions options = VerifyOptions.defaults();
    VerifyOptions trimming = retained ? options : options.onProgress(progress -> trimFolded(name));
    AtomicBoolean over = new AtomicBoolean();
    AtomicInteger next = new AtomicInteger();
    List<CompletableFuture<?>> work = new ArrayList<>();
    try (Instances instances = new Instances(schema)) {
      for (int i = 0; i < 2; i++) {
        BloomFilter<String> filter = instances.another().open(name, KeyType.text());
        work.add(
            CompletableFuture.runAsync(
                () -> {
                  while (!over.get()) {
                    int from = next.getAndAdd(7) % 15_000;
                    filter.addEach(keys(from, from + 7));
                    Removing.from(filter).removeEach(keys(from / 2, from / 2 + 5));
                    filter.addEach(keys(from / 2, from / 2 + 2));
                  }
                }));
      }
      try {
        for (int round = 0; round < 5 || next.get() < 1000; round++) {
          assertThat(bloom.admin(name).verify(trimming).findings()).as("round " + round).isEmpty();
        }
      } finally {
        over.set(true);
        CompletableFuture.allOf(work.toArray(CompletableFuture[]::new)).join();
      }
    }
    bloom.admin(name).fold();
    VerifyReport report = verify(name);
    assertThat(report.findings()).isEmpty();
    assertThat(report.checked())
        .filteredOn(checked -> checked.what().equals("removed hashes"))
        .extracting(Checked::count)
        .containsExactly(bloom.info(name).keysRemoved());
    assertThat(bloom.info(name).keysRemoved()).isGreaterThan(50);
  }

  @Test
  void givenKeysThatWereRemovedAreNotToldAsLost() throws SQLException {
    reserveRemovable("given", false);
    try (BloomFilter<String> filter = bloom.open("given", KeyType.text());
        Connection folding =
            ByHand.holdingFoldLockOf(
                bloom.info("given").id(), schema.dataSource().getConnection())) {
      Removing.from(filter).remove("key 200");
      filter.addEach(keys(300, 302));
      Removing.from(filter).remove("key 301");
      List<String> given =
          List.of("key 1", "key 10", "key 24", "key 30", "key 200", "key 300", "key 301");
      VerifyReport report = verifyWith(given);
      assertThat(report.sound()).isTrue();
      assertThat(report.findings())
          .allSatisfy(finding -> assertThat(finding.kind()).isEqualTo(Kind.KEY_REMOVED))
          .extracting(Finding::found)
          .satisfiesExactly(
              found -> assertThat(found).startsWith("key 2 of a list").endsWith("was removed"),
              found -> assertThat(found).startsWith("key 3 of"),
              found -> assertThat(found).startsWith("key 5 of"),
              found -> assertThat(found).startsWith("key 7 of"));
      assertThat(verifyWith(List.of("none")).findings())
          .extracting(Finding::kind)
          .containsExactly(Kind.KEY_MISSING);
      folding.rollback();
    }
  }

  private static VerifyReport verifyWith(List<String> given) {
    return bloom
        .admin("given")
        .verify(
            VerifyOptions.defaults().keys(KeySource.of("a list", KeyType.text(), given::stream)));
  }

  @Test
  void theExplanationOfAKeySaysWhichEntryRemovedIt() throws SQLException {
    reserveRemovable("told", true);
    assertThat(explain("key 10").removedBy()).isEqualTo(4);
    assertThat(explain("key 10").isMember()).isFalse();
    assertThat(explain("key 2").removedBy()).isNull();
    assertThat(explain("key 2").isMember()).isTrue();
    try (BloomFilter<String> filter = bloom.open("told", KeyType.text());
        Connection folding =
            ByHand.holdingFoldLockOf(
                bloom.info("told").id(), schema.dataSource().getConnection())) {
      Removing.from(filter).remove("key 2");
      filter.add("key 10");
      KeyExplanation removed = explain("key 2");
      assertThat(removed.removedBy()).isEqualTo(7);
      assertThat(removed.unfolded()).containsExactly(new Entry(7, "remove"));
      assertThat(explain("key 10").isMember()).isTrue();
      assertThat(explain("key 10").unfolded()).containsExactly(new Entry(8, "return"));
      folding.rollback();
    }
  }

  private static KeyExplanation explain(String key) {
    return bloom.admin("told").explain(KeyType.text(), key);
  }
}
