package io.github.slotbloom.internal.verify;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.github.slotbloom.BloomFilter;
import io.github.slotbloom.FilterSpec;
import io.github.slotbloom.KeySource;
import io.github.slotbloom.ReplaceOptions;
import io.github.slotbloom.VerifyOptions;
import io.github.slotbloom.core.KeyType;
import io.github.slotbloom.core.Layout;
import io.github.slotbloom.core.OnFull;
import io.github.slotbloom.error.FilterMismatchException;
import io.github.slotbloom.error.FilterNotFoundException;
import io.github.slotbloom.report.Finding;
import io.github.slotbloom.report.Finding.Kind;
import io.github.slotbloom.report.Finding.Severity;
import io.github.slotbloom.report.VerifyReport;
import io.github.slotbloom.testing.ByHand;
import io.github.slotbloom.testing.DatabaseContract;
import io.github.slotbloom.testing.StoredManifest;
import io.github.slotbloom.testing.VerifiedFilters;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Verifying finds what was damaged, exactly that, and repairs what can be repaired. */
@DatabaseContract(shortLeases = true)
class VerifyIT extends VerifiedFilters {

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
    FOLDED_TOO_FAR("UPDATE bloom_fold SET folded_seq = 4 WHERE $f", Kind.PARAMETERS),
    FOLD_ROW_GONE("DELETE FROM bloom_fold WHERE $f", Kind.PARAMETERS),
    CAPACITY_RAISED(inManifest("\"capacity\":2000", "\"capacity\":4000"), Kind.PARAMETERS),
    MANIFEST_OF_ANOTHER_ENTRY(inManifest("{\"seq\":0", "{\"seq\":2"), Kind.PARAMETERS),
    MANIFEST_IN_ANOTHER_FORM(inManifest(",", ", "), Kind.PARAMETERS),
    MANIFEST_GONE("UPDATE bloom_filter SET manifest = '' WHERE $i", Kind.PARAMETERS),
    NUMBERS_LEFT_OUT(inManifest("\"next\":2", "\"next\":5"), Kind.PARAMETERS),
    TABLE_ROW_GONE("DELETE FROM bloom_table WHERE $f", Kind.PARAMETERS),
    TABLE_ROW_OF_ANOTHER("UPDATE bloom_table SET token = 7 WHERE $f", Kind.PARAMETERS),
    TABLE_ROW_FAR_AHEAD(
        "INSERT INTO bloom_table (filter_id, generation) SELECT id, 3 FROM bloom_filter WHERE $i",
        Kind.PARAMETERS),
    TABLE_ROW_AHEAD_OF_THE_MANIFEST(
        "INSERT INTO bloom_table (filter_id, generation, token) SELECT id, 2, 7 FROM bloom_filter"
            + " WHERE $i",
        Kind.PARAMETERS),
    TABLE_AHEAD_GONE(
        "INSERT INTO bloom_table (filter_id, generation, made) SELECT id, 2, TRUE FROM"
            + " bloom_filter WHERE $i",
        Kind.SLOT_TABLE),
    RATE_LOWERED("UPDATE bloom_filter SET false_positive_rate = 1e-12 WHERE $i", Kind.PARAMETERS),
    RATE_IMPOSSIBLE("UPDATE bloom_filter SET false_positive_rate = 7 WHERE $i", Kind.PARAMETERS),
    HASH_UNKNOWN("UPDATE bloom_filter SET hash = 'md5' WHERE $i", Kind.PARAMETERS),
    BITS_SET("UPDATE $t SET bits = ~0", Kind.FILL),
    COLUMN_CHANGED("ALTER TABLE $t MODIFY bits DECIMAL(20) NOT NULL", Kind.SLOT_TABLE),
    TABLE_GONE("DROP TABLE $t", Kind.SLOT_TABLE);

    final String sql;
    final Kind kind;
    final boolean mendable;

    private static String inManifest(String text, String other) {
      return "UPDATE bloom_filter SET manifest = REPLACE(manifest, '%s', '%s') WHERE $i"
          .formatted(text, other);
    }

    Damage(String sql, Kind kind) {
      this(sql, kind, false);
    }

    Damage(String sql, Kind kind, boolean mendable) {
      this.sql = sql;
      this.kind = kind;
      this.mendable = mendable;
    }
  }

  @ParameterizedTest
  @EnumSource
  void verifyingFindsExactlyTheDamage(Damage damage) throws SQLException {
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

  @Test
  void findingsShowThePlaceAndTheValues() throws SQLException {
    reserve("where", spec().build());
    String table = sql.slots("where", 1);
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
    sql.run("DELETE FROM " + sql.slots("mirrored", 1) + " ORDER BY slot LIMIT 40");
    try (BloomFilter<String> filter = bloom.open("mirrored", KeyType.text())) {
      List<String> all = keys(0, KEYS);
      assertThat(present(filter, all)).isLessThan(KEYS);
      assertThat(repair("mirrored").repaired()).hasSize(2);
      assertThat(present(filter, all)).isEqualTo(KEYS);
      assertThat(filter.filterNew(all)).isEmpty();
    }
    assertSound(verify("mirrored"));
  }

  @Test
  void aTableThatIsMadeAheadHasNoRows() throws SQLException {
    reserve("ahead", spec().build());
    String table = sql.slots("ahead", 2);
    sql.runScript(bloom.admin("ahead").growSql());
    run(
        "INSERT INTO bloom_table (filter_id, generation, made) SELECT id, 2, TRUE FROM"
            + " bloom_filter WHERE $i",
        "ahead");
    assertSound(verify("ahead"));
    sql.run("INSERT INTO " + table + " VALUES (1, 1)");
    assertThat(verify("ahead").findings())
        .singleElement()
        .satisfies(
            finding -> {
              assertThat(finding.kind()).isEqualTo(Kind.SLOT_TABLE);
              assertThat(finding.where()).isEqualTo("bloom_table");
              assertThat(finding.found()).isEqualTo("rows in " + table);
            });
  }

  /** Each number more by one, each rate and size twice as large, and each state the other one. */
  @Test
  void aManifestThatWasChangedAnywhereIsFound() throws SQLException {
    reserve("manifest", spec().build());
    KeySource all = KeySource.of("a list", KeyType.text(), () -> keys(0, KEYS).stream());
    bloom.admin("manifest").replace(3000, all, ReplaceOptions.defaults());
    bloom.admin("manifest").grow(9000);
    assertSound(verify("manifest"));
    StoredManifest manifest = new StoredManifest(sql, "manifest");
    assertThat(manifest.generations()).containsExactly(2, 3);
    assertThat(manifest.fields(2)).contains("cutover");
    String whole = manifest.text();
    for (int generation : List.of(StoredManifest.WHOLE, 2, 3)) {
      for (String field : manifest.fields(generation)) {
        String right = manifest.value(generation, field);
        manifest.set(generation, field, wrong(field, right));
        assertThat(verify("manifest").findings())
            .as("%s of %s", field, generation)
            .isNotEmpty()
            .first()
            .satisfies(finding -> assertThat(finding.kind()).isEqualTo(Kind.PARAMETERS));
        manifest.write(whole);
      }
      if (generation != StoredManifest.WHOLE) {
        manifest.remove(generation);
        assertThat(verify("manifest").findings())
            .extracting(Finding::kind)
            .contains(Kind.PARAMETERS);
        manifest.write(whole);
      }
    }
    assertSound(verify("manifest"));
  }

  private static String wrong(String field, String right) {
    return switch (field) {
      case "state" -> right.contains("ACTIVE") ? "\"FILLING\"" : "\"ACTIVE\"";
      case "rate" -> Double.toString(2 * Double.parseDouble(right));
      case "bits" -> Long.toString(2 * Long.parseLong(right));
      default -> Long.toString(Long.parseLong(right) + 1);
    };
  }

  /** As if the row of the filter, and nothing else, came from a backup. */
  @Test
  void theManifestOfAnOlderEntryIsFound() throws SQLException {
    reserve("older", spec().build());
    bloom.admin("older").grow(5000);
    String older = new StoredManifest(sql, "older").text();
    long token = sql.number("SELECT manifest_token FROM bloom_filter WHERE name = 'older'");
    bloom.admin("older").grow(9000);
    String newer = new StoredManifest(sql, "older").text();
    assertSound(verify("older"));
    sql.run(
        "UPDATE bloom_filter SET manifest = ?, manifest_token = ?, capacity = 5000 WHERE name ="
            + " 'older'",
        older,
        token);
    assertThat(verify("older").findings())
        .anySatisfy(
            finding -> {
              assertThat(finding.kind()).isEqualTo(Kind.PARAMETERS);
              assertThat(finding.expected()).isEqualTo(newer + ", as entry 5 says");
            });
    assertThat(repair("older").repaired()).isEmpty();
  }

  private static int present(BloomFilter<String> filter, List<String> keys) {
    int present = 0;
    for (boolean found : filter.mightContainEach(keys)) {
      present += found ? 1 : 0;
    }
    return present;
  }

  @Test
  void bitsBeyondTheEndAreFoundAndCleared() throws SQLException {
    FilterSpec<String> odd =
        FilterSpec.builder(KeyType.text())
            .capacity(10)
            .layout(Layout.STANDARD)
            .explicitSize(130, 3)
            .build();
    bloom.reserve("odd", odd).close();
    sql.run("INSERT INTO " + sql.slots("odd", 1) + " VALUES (2, 5)");
    assertThat(verify("odd").findings())
        .anySatisfy(
            finding -> {
              assertThat(finding.kind()).isEqualTo(Kind.BEYOND_END);
              assertThat(finding.slot()).isEqualTo(2);
              assertThat(finding.found()).contains("0x0000000000000004");
            });
    repair("odd");
    assertThat(sql.number("SELECT bits FROM " + sql.slots("odd", 1) + " WHERE slot = 2"))
        .isEqualTo(1);
  }

  @Test
  void aMissingUnfoldedEntryIsFound() throws SQLException {
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

  /** Lookups are answered by the slots and by what is not folded. */
  @Test
  void keysThatAreNotFoldedCountTowardTheFalsePositiveRate() throws SQLException {
    bloom
        .reserve(
            "crowded",
            FilterSpec.builder(KeyType.text()).capacity(1000).onFull(OnFull.DEGRADE).build())
        .close();
    try (Connection folding =
            ByHand.holdingFoldLockOf(id("crowded"), schema.dataSource().getConnection());
        BloomFilter<String> filter = bloom.open("crowded", KeyType.text())) {
      filter.addEach(keys(0, 5_000));
      VerifyReport report = verify("crowded");
      int seen = 0;
      for (boolean answer : filter.mightContainEach(keys(100_000, 110_000))) {
        seen += answer ? 1 : 0;
      }
      assertThat(Objects.requireNonNull(report.falsePositiveRate()).current())
          .isCloseTo(seen / 1e4, within(0.05))
          .isGreaterThan(0.1);
      assertThat(report.findings())
          .singleElement()
          .satisfies(finding -> assertThat(finding.kind()).isEqualTo(Kind.FALSE_POSITIVE_RATE));
      folding.rollback();
    }
  }

  @Test
  void aLossInAnOlderGenerationIsRepaired() throws SQLException {
    reserve("grown", spec().retainHashes().build());
    bloom.admin("grown").grow(9000);
    try (BloomFilter<String> filter = bloom.open("grown", KeyType.text())) {
      assertThat(filter.filterNew(keys(KEYS, 2 * KEYS))).hasSize(KEYS);
      // Seen, and recorded once more for that.
      assertThat(filter.filterNew(keys(0, KEYS))).isEmpty();
      bloom.admin(filter.name()).fold();
    }
    assertSound(verify("grown"));
    sql.run("DELETE FROM " + sql.slots("grown", 1) + " WHERE bits <> 0 ORDER BY slot LIMIT 1");
    assertThat(verify("grown").findings())
        .singleElement()
        .satisfies(finding -> assertThat(finding.generation()).isEqualTo(1));
    assertThat(repair("grown").sound()).isTrue();
    assertSound(verify("grown"));
    assertThat(bloom.info("grown").keysAdded()).isEqualTo(2 * KEYS);
  }

  @Test
  void invalidArgumentsAreRefused() {
    assertThatThrownBy(() -> verify("none"))
        .isInstanceOf(FilterNotFoundException.class)
        .hasMessageContaining("none");
    reserve("texts", spec().build());
    KeySource numbers = KeySource.of("numbers", KeyType.longs(), () -> List.of(1L).stream());
    assertThatThrownBy(() -> bloom.admin("texts").verify(VerifyOptions.defaults().keys(numbers)))
        .isInstanceOf(FilterMismatchException.class);
  }
}
