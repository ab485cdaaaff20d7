package io.github.slotbloom.internal.verify;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.slotbloom.BloomFilter;
import io.github.slotbloom.FilterSpec;
import io.github.slotbloom.KeySource;
import io.github.slotbloom.ReplaceOptions;
import io.github.slotbloom.SlotBloom;
import io.github.slotbloom.VerifyOptions;
import io.github.slotbloom.core.KeyType;
import io.github.slotbloom.core.Layout;
import io.github.slotbloom.error.FilterMismatchException;
import io.github.slotbloom.error.FilterNotFoundException;
import io.github.slotbloom.error.InvalidParameterException;
import io.github.slotbloom.report.Check;
import io.github.slotbloom.report.Finding;
import io.github.slotbloom.report.Finding.Kind;
import io.github.slotbloom.report.Finding.Severity;
import io.github.slotbloom.report.VerifyReport;
import io.github.slotbloom.report.VerifyReport.Unchecked;
import io.github.slotbloom.testing.ByHand;
import io.github.slotbloom.testing.DatabaseContract;
import io.github.slotbloom.testing.Fixture;
import io.github.slotbloom.testing.HeldReplacement;
import io.github.slotbloom.testing.Instances;
import io.github.slotbloom.testing.KnownLogs;
import io.github.slotbloom.testing.PossibleLog;
import io.github.slotbloom.testing.Sql;
import io.github.slotbloom.testing.TestSchema;
import java.math.BigInteger;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Verifying finds what was damaged, exactly that, and nothing where nothing is. */
@DatabaseContract
@Timeout(120)
@PossibleLog(KnownLogs.FOLDING_FAILED)
@PossibleLog(KnownLogs.MIRROR_RELOADED)
@PossibleLog(KnownLogs.USAGE_NOT_RECORDED)
class VerifyIT {

  private static final int KEYS = 300;

  /** What is done to a filter of 300 keys in three folded entries, and what is to be found. */
  private enum Damage {
    SLOT_DELETED("DELETE FROM $t WHERE bits <> 0 ORDER BY slot LIMIT 1", Kind.BITS_MISSING, true),
    BIT_CLEARED(
        "UPDATE $t SET bits = bits & (bits - 1) WHERE bits <> 0 ORDER BY slot LIMIT 1",
        Kind.BITS_MISSING,
        true),
    SLOT_BEYOND("INSERT INTO $t VALUES (18446744073709551615, 5)", Kind.BEYOND_END, true),
    FIRST_ENTRY_REMOVED("DELETE FROM bloom_journal WHERE $f AND seq = 1", Kind.ENTRY_MISSING),
    ENTRY_REMOVED("DELETE FROM bloom_journal WHERE $f AND seq = 2", Kind.ENTRY_MISSING),
    LAST_ENTRY_REMOVED("DELETE FROM bloom_journal WHERE $f AND seq = 3", Kind.ENTRY_MISSING),
    ALL_ENTRIES_REMOVED("DELETE FROM bloom_journal WHERE $f AND seq > 0", Kind.ENTRY_MISSING),
    TOKEN_REWRITTEN(
        "UPDATE bloom_journal SET token = token + 1 WHERE $f AND seq = 2", Kind.CHAIN_BROKEN),
    LAST_TOKEN_REWRITTEN(
        "UPDATE bloom_journal SET token = token + 1 WHERE $f AND seq = 3", Kind.CHAIN_BROKEN),
    ENTRY_BEYOND(
        ByHand.INSERT_ENTRY
            + " SELECT filter_id, 9, 1, 2, kind, payload, created_at FROM bloom_journal"
            + " WHERE $f AND seq = 1",
        Kind.CHAIN_BROKEN),
    PAYLOAD_CUT(
        "UPDATE bloom_journal SET payload = LEFT(payload, 7) WHERE $f AND seq = 2",
        Kind.ENTRY_DAMAGED),
    KIND_UNKNOWN("UPDATE bloom_journal SET kind = 'X' WHERE $f AND seq = 2", Kind.ENTRY_DAMAGED),
    COUNT_RAISED(
        "UPDATE bloom_journal SET keys_added = keys_added + 1 WHERE $f AND seq = 0",
        Kind.KEY_COUNT),
    COUNT_LOWERED(
        "UPDATE bloom_journal SET keys_added = keys_added - 1 WHERE $f AND seq = 0",
        Kind.KEY_COUNT),
    FOLDED_TOO_FAR("UPDATE bloom_fold SET folded_seq = 4 WHERE $f", Kind.PARAMETERS),
    FOLDED_IN_ANOTHER_EPOCH("UPDATE bloom_fold SET epoch = 7 WHERE $f", Kind.PARAMETERS),
    FOLD_ROW_GONE("DELETE FROM bloom_fold WHERE $f", Kind.PARAMETERS),
    CAPACITY_RAISED(
        "UPDATE bloom_generation SET capacity = capacity * 2 WHERE $f", Kind.PARAMETERS),
    RATE_LOWERED("UPDATE bloom_filter SET false_positive_rate = 1e-12 WHERE $i", Kind.PARAMETERS),
    RATE_IMPOSSIBLE("UPDATE bloom_filter SET false_positive_rate = 7 WHERE $i", Kind.PARAMETERS),
    HASH_UNKNOWN("UPDATE bloom_filter SET hash = 'md5' WHERE $i", Kind.PARAMETERS),
    BITS_SET("UPDATE $t SET bits = ~0", Kind.FILL),
    COLUMN_CHANGED("ALTER TABLE $t MODIFY bits DECIMAL(20) NOT NULL", Kind.SLOT_TABLE),
    TABLE_GONE("DROP TABLE $t", Kind.SLOT_TABLE);

    final String sql;
    final Kind kind;
    final boolean mendable;

    Damage(String sql, Kind kind) {
      this(sql, kind, false);
    }

    Damage(String sql, Kind kind, boolean mendable) {
      this.sql = sql;
      this.kind = kind;
      this.mendable = mendable;
    }
  }

  @Fixture private static TestSchema schema;
  @Fixture private static SlotBloom bloom;
  @Fixture private static Sql sql;

  private static FilterSpec.Builder<String> spec() {
    return FilterSpec.builder(KeyType.text()).capacity(2000).falsePositiveRate(1e-6);
  }

  private static List<String> keys(int from, int to) {
    return IntStream.range(from, to).mapToObj(i -> "key " + i).toList();
  }

  /** With 300 keys in three folded entries. */
  private static void reserve(String name, FilterSpec<String> spec) {
    try (BloomFilter<String> filter = bloom.reserve(name, spec)) {
      for (int from = 0; from < KEYS; from += KEYS / 3) {
        assertThat(filter.filterNew(keys(from, from + KEYS / 3))).hasSize(KEYS / 3);
      }
      filter.fold();
    }
  }

  private static long id(String name) throws SQLException {
    return sql.number("SELECT id FROM bloom_filter WHERE name = ?", name);
  }

  private static void run(String statement, String name) throws SQLException {
    sql.run(
        statement
            .replace("$t", "bloom_bits_" + name + "_v1")
            .replace("$f", "filter_id = " + id(name))
            .replace("$i", "id = " + id(name)));
  }

  private static VerifyReport verify(String name) {
    return bloom.admin().verify(name, VerifyOptions.defaults().samples(20_000));
  }

  private static VerifyReport repair(String name) {
    return bloom.admin().verify(name, VerifyOptions.defaults().samples(0).repairing());
  }

  private static void assertSound(VerifyReport report) {
    assertThat(report.findings()).isEmpty();
    assertThat(report.sound()).isTrue();
  }

  private static void trimTo(String name, long last) throws SQLException {
    // Old enough to be trimmed; nobody has it open, who would miss the filter that it was.
    run("UPDATE bloom_filter SET created_at = created_at - INTERVAL 1 DAY WHERE $i", name);
    run("DELETE FROM bloom_journal WHERE $f AND seq BETWEEN 1 AND " + last, name);
  }

  @ParameterizedTest
  @EnumSource
  void damageIsFoundAndNothingElse(Damage damage) throws SQLException {
    String name = damage.name().toLowerCase(Locale.ROOT);
    reserve(name, spec().build());
    assertSound(verify(name));

    run(damage.sql, name);
    VerifyReport report = verify(name);

    assertThat(report.findings()).hasSize(1);
    Finding finding = report.findings().get(0);
    assertThat(finding.kind()).isEqualTo(damage.kind);
    assertThat(finding.severity()).isEqualTo(Severity.DAMAGE);
    assertThat(List.of(finding.found(), finding.expected(), finding.remedy()))
        .noneMatch(String::isBlank);
    assertThat(report.sound()).isFalse();
    assertThat(report.repaired()).isEmpty();

    VerifyReport repaired = repair(name);
    assertThat(repaired.sound()).isEqualTo(damage.mendable);
    assertThat(repaired.repaired().isEmpty()).isEqualTo(!damage.mendable);
    if (damage.mendable) {
      assertSound(verify(name));
      assertThat(bloom.info(name).keysAdded()).isEqualTo(KEYS);
    } else {
      assertThat(repaired.findings().get(0).kind()).isEqualTo(damage.kind);
    }
  }

  /** Neither has all of its keys in its journal, nor a count that is exact. */
  @Test
  void whatWasImportedOrMergedIsSoundAndItsBitsAreMissed() throws SQLException {
    reserve("one", spec().build());
    bloom.admin().copy("one", "copied");
    assertSound(verify("copied"));
    try (BloomFilter<String> copied = bloom.open("copied", KeyType.text())) {
      copied.addEach(keys(KEYS, 2 * KEYS));
      copied.fold();
    }
    assertSound(verify("copied"));

    bloom.reserve("merged", spec().build()).close();
    bloom.admin().merge("one", "merged");
    assertSound(verify("merged"));
    bloom.admin().fold("merged");
    assertSound(verify("merged"));
    run("DELETE FROM $t WHERE bits <> 0 ORDER BY slot LIMIT 1", "merged");
    VerifyReport report = verify("merged");
    assertThat(report.findings()).extracting(Finding::kind).containsExactly(Kind.BITS_MISSING);
    assertThat(report.findings().get(0).remedy()).contains("Merge");
    bloom.admin().merge("one", "merged");
    bloom.admin().fold("merged");
    assertSound(verify("merged"));
  }

  @Test
  void findingsSayWhereAndWhat() throws SQLException {
    reserve("where", spec().build());
    String table = "bloom_bits_where_v1";
    long slot = sql.number("SELECT slot FROM " + table + " WHERE bits <> 0 LIMIT 1");
    sql.run("DELETE FROM " + table + " WHERE slot = ?", slot);
    run("DELETE FROM bloom_journal WHERE $f AND seq = 2", "where");

    assertThat(verify("where").findings())
        .anySatisfy(
            finding -> {
              assertThat(finding.table()).isEqualTo("bloom_journal");
              assertThat(finding.seq()).isEqualTo(2);
              assertThat(finding.found()).isEqualTo("no entry 2");
            })
        .anySatisfy(
            finding -> {
              assertThat(finding.table()).isEqualTo(table);
              assertThat(finding.generation()).isEqualTo(1);
              assertThat(finding.slot()).isEqualTo(slot);
              assertThat(finding.found()).isEqualTo("no row");
              assertThat(finding.expected()).contains("the bits 0x", "entry ");
            })
        .hasSize(2);
  }

  @Test
  void aRepairReachesMirrorsThatLoadedTheLoss() throws SQLException {
    reserve("mirrored", spec().build());
    sql.run("DELETE FROM bloom_bits_mirrored_v1 ORDER BY slot LIMIT 40");
    try (BloomFilter<String> filter = bloom.open("mirrored", KeyType.text())) {
      List<String> all = keys(0, KEYS);
      assertThat(present(filter, all)).isLessThan(KEYS);
      assertThat(repair("mirrored").repaired()).hasSize(2);
      assertThat(present(filter, all)).isEqualTo(KEYS);
      assertThat(filter.filterNew(all)).isEmpty();
    }
    assertSound(verify("mirrored"));
  }

  private static int present(BloomFilter<String> filter, List<String> keys) {
    int present = 0;
    for (boolean found : filter.mightContainEach(keys)) {
      present += found ? 1 : 0;
    }
    return present;
  }

  @Test
  void bitsBeyondTheLastOneAreFoundAndCleared() throws SQLException {
    FilterSpec<String> odd =
        FilterSpec.builder(KeyType.text())
            .capacity(10)
            .layout(Layout.STANDARD)
            .explicitSize(130, 3)
            .build();
    bloom.reserve("odd", odd).close();
    sql.run("INSERT INTO bloom_bits_odd_v1 VALUES (2, 5)");
    assertThat(verify("odd").findings())
        .anySatisfy(
            finding -> {
              assertThat(finding.kind()).isEqualTo(Kind.BEYOND_END);
              assertThat(finding.slot()).isEqualTo(2);
              assertThat(finding.found()).contains("0x0000000000000004");
            });
    repair("odd");
    assertThat(sql.number("SELECT bits FROM bloom_bits_odd_v1 WHERE slot = 2")).isEqualTo(1);
  }

  @Test
  void anEntryThatIsNotFoldedMustBeThere() throws SQLException {
    reserve("unfolded", spec().build());
    try (Connection folding = schema.dataSource().getConnection();
        Connection other = schema.dataSource().getConnection()) {
      // Nobody else folds meanwhile.
      ByHand.holdingFoldLockOf(id("unfolded"), folding);
      other.setAutoCommit(false);
      for (int i = 0; i < 3; i++) {
        ByHand.append(other, "unfolded", "another " + i, 4711 + i);
      }
      other.commit();
      assertSound(verify("unfolded"));
      run("DELETE FROM bloom_journal WHERE $f AND seq = 5", "unfolded");
      assertThat(verify("unfolded").findings())
          .singleElement()
          .satisfies(
              finding -> {
                assertThat(finding.kind()).isEqualTo(Kind.ENTRY_MISSING);
                assertThat(finding.seq()).isEqualTo(5);
                assertThat(finding.expected()).contains("not folded");
                assertThat(finding.remedy()).contains("backup");
              });
      folding.rollback();
    }
  }

  @Test
  void afterTrimmingALossShowsAmongGivenKeysOrInTheFillOnly() throws SQLException {
    reserve("trimmed", spec().build());
    trimTo("trimmed", 2);
    VerifyReport sound = verify("trimmed");
    assertSound(sound);
    assertThat(sound.unchecked())
        .extracting(Unchecked::check)
        .contains(Check.FOLDED_ENTRIES, Check.KEY_COUNT);
    KeySource all = KeySource.of("a list", KeyType.text(), () -> keys(0, KEYS).stream());
    VerifyOptions given = VerifyOptions.defaults().keys(all);
    assertSound(bloom.admin().verify("trimmed", given));

    // One that only keys of the trimmed entries need.
    int hit = 0;
    long before = sql.number("SELECT COUNT(*) FROM bloom_bits_trimmed_v1");
    for (long slot = 0; hit == 0 && slot < before; slot++) {
      long bits = sql.number("SELECT bits FROM bloom_bits_trimmed_v1 WHERE slot = ?", slot);
      sql.run("UPDATE bloom_bits_trimmed_v1 SET bits = 0 WHERE slot = ?", slot);
      if (bits != 0 && verify("trimmed").sound()) {
        hit++;
      } else {
        sql.run(
            "UPDATE bloom_bits_trimmed_v1 SET bits = ? WHERE slot = ?",
            new BigInteger(Long.toUnsignedString(bits)),
            slot);
      }
    }
    assertThat(hit).as("a loss that is not seen").isEqualTo(1);
    assertThat(bloom.admin().verify("trimmed", given).findings())
        .isNotEmpty()
        .allMatch(finding -> finding.kind() == Kind.KEY_MISSING)
        .allMatch(finding -> finding.found().contains("of a list"));

    sql.run("DELETE FROM bloom_bits_trimmed_v1");
    trimTo("trimmed", 3);
    run("UPDATE bloom_fold SET folded_seq = 3 WHERE $f", "trimmed");
    assertThat(verify("trimmed").findings())
        .extracting(Finding::kind)
        .containsExactlyInAnyOrder(Kind.ENTRY_MISSING, Kind.FILL);
  }

  @Test
  void manyLostBitsShowInTheFill() throws SQLException {
    reserve("emptied", spec().build());
    trimTo("emptied", 2);
    sql.run("DELETE FROM bloom_bits_emptied_v1 ORDER BY slot LIMIT 600");
    assertThat(verify("emptied").findings())
        .extracting(Finding::kind)
        .contains(Kind.BITS_MISSING, Kind.FILL);
  }

  @Test
  void retainedHashesStandInForTrimmedEntries() throws SQLException {
    reserve("retaining", spec().retainHashes().build());
    // As trimming does.
    sql.run(
        "INSERT INTO bloom_hash_block VALUES (?, ?, ?)",
        id("retaining"),
        Long.MIN_VALUE,
        ByHand.payload(keys(0, KEYS / 3).stream().mapToLong(ByHand::hash).sorted().toArray()));
    trimTo("retaining", 1);
    VerifyReport sound = verify("retaining");
    assertSound(sound);
    assertThat(sound.unchecked()).extracting(Unchecked::check).doesNotContain(Check.FOLDED_ENTRIES);

    sql.run("DELETE FROM bloom_bits_retaining_v1");
    VerifyReport emptied = verify("retaining");
    assertThat(emptied.findings())
        .extracting(Finding::kind)
        .contains(Kind.BITS_MISSING, Kind.FILL)
        .doesNotContain(Kind.HASH_MISSING, Kind.RETAINED_HASHES);
    assertThat(emptied.unlisted()).containsKey(Kind.BITS_MISSING);
    assertThat(repair("retaining").sound()).isTrue();
    assertSound(verify("retaining"));

    sql.run("UPDATE bloom_hash_block SET hashes = REVERSE(hashes)");
    assertThat(verify("retaining").findings())
        .extracting(Finding::kind)
        .contains(Kind.RETAINED_HASHES);
  }

  @Test
  void retainedHashesThatAreGoneShowInTheCount() throws SQLException {
    reserve("incomplete", spec().retainHashes().build());
    trimTo("incomplete", 1);
    assertThat(verify("incomplete").findings())
        .singleElement()
        .satisfies(
            finding -> {
              assertThat(finding.kind()).isEqualTo(Kind.RETAINED_HASHES);
              assertThat(finding.found()).startsWith("200 hashes");
              assertThat(finding.expected()).startsWith("at least 300");
            });
  }

  @Test
  void aLossInAnOlderGenerationIsMendedThere() throws SQLException {
    reserve("grown", spec().retainHashes().build());
    bloom.admin().grow("grown", 9000);
    try (BloomFilter<String> filter = bloom.open("grown", KeyType.text())) {
      assertThat(filter.filterNew(keys(KEYS, 2 * KEYS))).hasSize(KEYS);
      // Seen, and recorded once more for that.
      assertThat(filter.filterNew(keys(0, KEYS))).isEmpty();
      filter.fold();
    }
    assertSound(verify("grown"));
    sql.run("DELETE FROM bloom_bits_grown_v1 WHERE bits <> 0 ORDER BY slot LIMIT 1");
    assertThat(verify("grown").findings())
        .singleElement()
        .satisfies(finding -> assertThat(finding.generation()).isEqualTo(1));
    assertThat(repair("grown").sound()).isTrue();
    assertSound(verify("grown"));
    assertThat(bloom.info("grown").keysAdded()).isEqualTo(2 * KEYS);
  }

  @Test
  void oneThatWasReplacedClearedOrIsBeingReplacedIsSound() throws Exception {
    reserve("replaced", spec().build());
    List<String> all = keys(0, KEYS);
    try (HeldReplacement held = new HeldReplacement(bloom, "replaced", 9000, all)) {
      assertSound(verify("replaced"));
      sql.run("INSERT INTO bloom_bits_replaced_v1 VALUES (1000000, 1)");
      assertThatThrownBy(() -> repair("replaced"))
          .isInstanceOf(InvalidParameterException.class)
          .hasMessageContaining("being replaced");
      sql.run("DELETE FROM bloom_bits_replaced_v1 WHERE slot = 1000000");
      held.finish();
    }
    assertSound(verify("replaced"));
    bloom
        .admin()
        .replace(
            "replaced",
            20_000,
            KeySource.of("a part", KeyType.text(), () -> keys(0, 10).stream()),
            ReplaceOptions.defaults().forced());
    VerifyReport forgetful = verify("replaced");
    assertThat(forgetful.sound()).isTrue();
    assertThat(forgetful.findings())
        .singleElement()
        .satisfies(
            finding -> {
              assertThat(finding.severity()).isEqualTo(Severity.REMARK);
              assertThat(finding.found()).startsWith((KEYS - 10) + " recorded hashes");
            });
    bloom.admin().clear("replaced");
    assertSound(verify("replaced"));
    try (BloomFilter<String> filter = bloom.open("replaced", KeyType.text())) {
      assertThat(filter.add("after")).isTrue();
    }
    assertSound(verify("replaced"));
  }

  @Test
  void aBusyFilterIsSoundWhateverHappensToIt() throws Exception {
    FilterSpec<String> spec =
        FilterSpec.builder(KeyType.text()).capacity(4000).falsePositiveRate(0.01).build();
    bloom.reserve("busy", spec).close();
    trimTo("busy", 0);
    run("UPDATE bloom_filter SET retention_seconds = 0 WHERE $i", "busy");
    // Between the steps of a verification, and so between reading how far it is folded and the
    // rest.
    VerifyOptions trimming =
        VerifyOptions.defaults().samples(20_000).onProgress(progress -> trimBusy());
    AtomicBoolean over = new AtomicBoolean();
    AtomicInteger next = new AtomicInteger();
    List<CompletableFuture<?>> work = new ArrayList<>();
    try (Instances instances = new Instances(schema)) {
      for (int i = 0; i < 2; i++) {
        BloomFilter<String> filter = instances.another().open("busy", KeyType.text());
        work.add(
            CompletableFuture.runAsync(
                () -> {
                  while (!over.get()) {
                    int from = next.getAndAdd(7);
                    filter.addEach(keys(from, from + 7));
                  }
                }));
      }
      try {
        for (int round = 0; round < 20; round++) {
          VerifyReport report = bloom.admin().verify("busy", trimming);
          assertThat(report.findings())
              .as("round %s, %s", round, report)
              .allMatch(finding -> finding.severity() == Severity.REMARK);
          if (round == 6) {
            bloom.admin().grow("busy", 60_000);
          }
          if (round == 13) {
            bloom.admin().clear("busy");
          }
        }
      } finally {
        over.set(true);
        CompletableFuture.allOf(work.toArray(CompletableFuture[]::new)).join();
      }
    }
    assertThat(next.get()).isGreaterThan(1000);
    assertThat(verify("busy").sound()).isTrue();
  }

  /** Takes what is folded out of the journal, and never the newest entry. */
  private static void trimBusy() {
    try (Connection other = schema.dataSource().getConnection()) {
      long id = id("busy");
      Sql.run(
          other,
          "DELETE FROM bloom_journal WHERE filter_id = ? AND seq > 0 AND seq < (SELECT folded_seq FROM"
              + " bloom_fold WHERE filter_id = ?) ORDER BY seq LIMIT 20",
          id,
          id);
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  @Test
  void nonsenseIsRefused() {
    assertThatThrownBy(() -> verify("none"))
        .isInstanceOf(FilterNotFoundException.class)
        .hasMessageContaining("none");
    reserve("texts", spec().build());
    KeySource numbers = KeySource.of("numbers", KeyType.longs(), () -> List.of(1L).stream());
    assertThatThrownBy(() -> bloom.admin().verify("texts", VerifyOptions.defaults().keys(numbers)))
        .isInstanceOf(FilterMismatchException.class);
    assertThatThrownBy(() -> VerifyOptions.defaults().samples(-1))
        .isInstanceOf(InvalidParameterException.class)
        .hasMessageContaining("-1");
  }
}
