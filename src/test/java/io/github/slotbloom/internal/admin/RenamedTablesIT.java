package io.github.slotbloom.internal.admin;

import static io.github.slotbloom.testing.FilterNames.newName;
import static io.github.slotbloom.testing.Keys.assertHolds;
import static io.github.slotbloom.testing.Keys.keys;
import static io.github.slotbloom.testing.Keys.source;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.slotbloom.BloomFilter;
import io.github.slotbloom.FilterInfo;
import io.github.slotbloom.FilterSpec;
import io.github.slotbloom.KeySource;
import io.github.slotbloom.ReplaceOptions;
import io.github.slotbloom.SlotBloom;
import io.github.slotbloom.VerifyOptions;
import io.github.slotbloom.core.KeyType;
import io.github.slotbloom.error.CorruptFilterException;
import io.github.slotbloom.error.UnsupportedFormatException;
import io.github.slotbloom.report.InspectionQuery;
import io.github.slotbloom.testing.DatabaseContract;
import io.github.slotbloom.testing.Fixture;
import io.github.slotbloom.testing.KnownLogs;
import io.github.slotbloom.testing.MembershipFunctions;
import io.github.slotbloom.testing.PossibleLog;
import io.github.slotbloom.testing.Use;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.sql.SQLException;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * The tables of a renamed filter keep their names, and no other filter ever gets one of them:
 * neither one that has its old name since, nor one that had its new name before.
 */
@DatabaseContract(shortLeases = true)
@PossibleLog(KnownLogs.FOLDING_FAILED)
class RenamedTablesIT extends MembershipFunctions {

  private static final Use USE = Use.MIRRORED;

  @Fixture private static SlotBloom there;

  private static FilterSpec<String> removable() {
    return FilterSpec.builder(KeyType.text())
        .capacity(2000)
        .falsePositiveRate(1e-9)
        .removable(100)
        .build();
  }

  private static List<String> slotTables(String name) {
    return bloom.info(name).generations().stream().map(FilterInfo.Generation::slotTable).toList();
  }

  private static List<Integer> numbers(String name) {
    return bloom.info(name).generations().stream().map(FilterInfo.Generation::number).toList();
  }

  private static List<String> tablesNamedAfter(String name) throws SQLException {
    return sql.texts("SHOW TABLES LIKE '%\\_" + name + "\\_v%'");
  }

  private static void assertSound(String name) {
    assertThat(bloom.admin().verify(name, VerifyOptions.defaults()).findings()).isEmpty();
  }

  @Test
  void aRenamedFilterGrowsIsReplacedAndCleared() throws SQLException {
    String name = newName();
    String newName = newName();
    BloomFilter<String> old = USE.reserve(bloom, name);
    old.addEach(keys("a", 100));
    bloom.admin().grow(name, 4000);
    old.addEach(keys("b", 100));

    bloom.admin().rename(name, newName);

    // Its journal still has the entry that began the second generation, which names no table.
    BloomFilter<String> renamed = USE.open(there, newName);
    assertHolds(renamed, keys("a", 100));
    assertHolds(renamed, keys("b", 100));
    bloom.admin().grow(newName, 8000);
    renamed.addEach(keys("c", 100));
    assertThat(slotTables(newName))
        .containsExactly(
            "bloom_bits_" + name + "_v1",
            "bloom_bits_" + name + "_v2",
            "bloom_bits_" + newName + "_v3");
    renamed.fold();
    assertSound(newName);
    assertHolds(USE.open(bloom, newName), keys("c", 100));

    List<String> all =
        Stream.of(keys("a", 100), keys("b", 100), keys("c", 100)).flatMap(List::stream).toList();
    bloom.admin().replace(newName, 9000, source(all), ReplaceOptions.defaults());
    assertThat(slotTables(newName)).containsExactly("bloom_bits_" + newName + "_v4");
    assertHolds(renamed, all);
    assertThat(tablesNamedAfter(name)).isEmpty();
    assertSound(newName);

    renamed.clear();
    assertThat(renamed.mightContainEach(all)).containsOnly(false);
    assertThat(renamed.add("a1")).isTrue();
    assertSound(newName);
    bloom.admin().drop(newName);
    assertThat(tablesNamedAfter(newName)).isEmpty();
  }

  @Test
  void aNewFilterOfTheOldNameSharesNoTable() throws SQLException {
    String name = newName();
    String newName = newName();
    bloom.reserve(name, removable()).addEach(keys("a", 100));
    bloom.admin().grow(name, 4000);
    BloomFilter<String> old = USE.open(bloom, name);
    old.remove("a7");
    old.fold();
    bloom.admin().rename(name, newName);

    BloomFilter<String> heir = bloom.reserve(name, removable(), USE.options());
    heir.addEach(keys("b", 100));
    heir.remove("b7");
    bloom.admin().grow(name, 4000);
    bloom.admin().grow(newName, 8000);
    BloomFilter<String> renamed = USE.open(there, newName);
    renamed.addEach(keys("more a", 100));
    heir.addEach(keys("more b", 100));
    renamed.fold();
    heir.fold();

    assertThat(slotTables(newName))
        .containsExactly(
            "bloom_bits_" + name + "_v1",
            "bloom_bits_" + name + "_v2",
            "bloom_bits_" + newName + "_v3");
    assertThat(slotTables(name))
        .containsExactly("bloom_bits_" + name + "_v3", "bloom_bits_" + name + "_v4");
    assertThat(renamed.mightContainEach(List.of("a7", "a8", "b7", "b8", "more a1", "more b1")))
        .containsExactly(false, true, false, false, true, false);
    assertThat(heir.mightContainEach(List.of("a7", "a8", "b7", "b8", "more a1", "more b1")))
        .containsExactly(false, false, false, true, false, true);
    assertSound(name);
    assertSound(newName);

    bloom.admin().drop(newName);
    assertThat(heir.mightContainEach(List.of("b7", "b8"))).containsExactly(false, true);
    assertSound(name);
    assertThat(tablesNamedAfter(name))
        .containsExactlyInAnyOrder(
            "bloom_bits_" + name + "_v3",
            "bloom_bits_" + name + "_v4",
            "bloom_removed_" + name + "_v3");
    bloom.admin().drop(name);
    assertThat(tablesNamedAfter(name)).isEmpty();
  }

  @Test
  void aNewNameThatAnotherFilterHadGoesOnBehindTheTablesOfThat() throws SQLException {
    String name = newName();
    String newName = newName();
    bloom.reserve(newName, removable()).close();
    bloom.admin().grow(newName, 4000);
    bloom.admin().grow(newName, 8000);
    bloom.admin().drop(newName);
    BloomFilter<String> filter = Use.MIRRORED.reserve(bloom, name);
    filter.addEach(keys("a", 100));

    bloom.admin().rename(name, newName);
    bloom.admin().grow(newName, 4000);
    assertThat(bloom.admin().growSql(newName)).contains("`bloom_bits_" + newName + "_v5`");
    bloom.admin().grow(newName, 8000);

    assertThat(slotTables(newName))
        .containsExactly(
            "bloom_bits_" + name + "_v1",
            "bloom_bits_" + newName + "_v4",
            "bloom_bits_" + newName + "_v5");
    assertThat(numbers(newName)).containsExactly(1, 2, 3);
    BloomFilter<String> renamed = Use.DIRECT.open(there, newName);
    renamed.addEach(keys("b", 100));
    renamed.fold();
    assertHolds(Use.MIRRORED.open(bloom, newName), keys("a", 100));
    assertHolds(Use.MIRRORED.open(there, newName), keys("b", 100));
    assertSound(newName);

    // A filter that gets the name afterwards comes behind these tables.
    bloom.admin().rename(newName, name);
    bloom.reserve(newName, removable()).close();
    assertThat(slotTables(newName)).containsExactly("bloom_bits_" + newName + "_v6");
    bloom.admin().grow(name, 16_000);
    assertThat(slotTables(name))
        .containsExactly(
            "bloom_bits_" + name + "_v1",
            "bloom_bits_" + newName + "_v4",
            "bloom_bits_" + newName + "_v5",
            "bloom_bits_" + name + "_v4");
    assertHolds(Use.MIRRORED.open(there, name), keys("b", 100));
    assertSound(name);
  }

  @Test
  void aGrowthThatWasBegunBeforeIsFinishedAfterwards() throws SQLException {
    String name = newName();
    String newName = newName();
    Use.MIRRORED.reserve(bloom, name).add("a");
    // What a process leaves that dies as it has made the table.
    long id = bloom.info(name).id();
    sql.run(
        "INSERT INTO bloom_generation (filter_id, generation, state, capacity, false_positive_rate,"
            + " bits, hashes, slot_table, created_at) SELECT filter_id, 2, 'CREATING', capacity,"
            + " false_positive_rate, bits, hashes, ?, created_at FROM bloom_generation WHERE"
            + " filter_id = ?",
        "bloom_bits_" + name + "_v2",
        id);
    sql.run("UPDATE bloom_name SET next_generation = 3 WHERE name = ?", name);
    bloom.admin().rename(name, newName);
    assertThat(bloom.admin().growSql(newName)).contains("`bloom_bits_" + name + "_v2`");

    bloom.admin().grow(newName, 4000);
    bloom.admin().grow(newName, 8000);

    assertThat(slotTables(newName))
        .containsExactly(
            "bloom_bits_" + name + "_v1",
            "bloom_bits_" + name + "_v2",
            "bloom_bits_" + newName + "_v3");
    assertHolds(Use.DIRECT.open(there, newName), List.of("a"));
  }

  @Test
  void theFunctionOfTheOldNameRefusesAndAnotherOneIsMade() throws SQLException {
    String name = newName();
    String newName = newName();
    BloomFilter<String> filter =
        bloom.reserve(name, spec(100).falsePositiveRate(1e-9).removable(100).build());
    filter.addEach(List.of("a", "b"));
    filter.remove("b");
    filter.fold();
    makeFunction(name);
    assertThat(ask(name, "a")).isEqualTo("1");

    bloom.admin().rename(name, newName);

    assertThatThrownBy(() -> ask(name, "a")).hasMessageContaining("has changed since");
    makeFunction(newName);
    assertThat(ask(newName, "a")).isEqualTo("1");
    assertThat(ask(newName, "b")).isEqualTo("0");
    // Not even a new filter of the old name is taken for the one that the function was made for.
    bloom.reserve(name, spec(100).build()).add("c");
    assertThatThrownBy(() -> ask(name, "c")).hasMessageContaining("has changed since");
    makeFunction(name);
    assertThat(ask(name, "c")).isEqualTo("1");
    assertThat(ask(newName, "c")).isEqualTo("0");
  }

  @Test
  void queriesOfTheOldNameTellThatTheyNoLongerFit() throws SQLException {
    String name = newName();
    String newName = newName();
    Use.MIRRORED.reserve(bloom, name).addEach(keys("a", 100));
    InspectionQuery fits = bloom.admin().inspectionSql(name).get(0);
    assertThat(sql.text(fits.sql().replace(";", ""))).isEqualTo("yes");
    bloom.admin().rename(name, newName);
    assertThat(sql.text(fits.sql().replace(";", ""))).startsWith("no");
    for (InspectionQuery query : bloom.admin().inspectionSql(newName)) {
      assertThat(sql.rows(query.sql().replaceAll(";\\s*$", ""))).as(query.title()).isNotNull();
    }
  }

  @Test
  void aRenamedFilterIsBuiltAnewExportedCopiedMergedAndInspected() throws Exception {
    String name = newName();
    String newName = newName();
    FilterSpec<String> spec =
        FilterSpec.builder(KeyType.text())
            .capacity(2000)
            .falsePositiveRate(1e-9)
            .removable(100)
            .retainHashes()
            .build();
    BloomFilter<String> filter = bloom.reserve(name, spec);
    filter.addEach(keys("a", 100));
    filter.remove("a1");
    bloom.admin().rename(name, newName);
    bloom.admin().replace(newName, 3000, KeySource.journal(), ReplaceOptions.defaults());
    assertThat(bloom.info(newName).keysAdded()).isEqualTo(99);
    bloom.admin().grow(newName, 4000);
    ByteArrayOutputStream export = new ByteArrayOutputStream();
    bloom.admin().exportTo(newName, export);

    bloom.admin().importFrom(name, new ByteArrayInputStream(export.toByteArray()));
    String copy = newName();
    bloom.admin().copy(newName, copy);
    there.open(copy, KeyType.text()).addEach(keys("b", 100));
    bloom.admin().merge(copy, newName);

    for (String of : List.of(name, copy, newName)) {
      assertThat(there.open(of, KeyType.text()).mightContainEach(List.of("a1", "a2")))
          .as(of)
          .containsExactly(false, true);
      assertSound(of);
    }
    assertHolds(there.open(newName, KeyType.text()), keys("b", 100));
    assertThat(bloom.admin().inspect(newName, 8).generations()).hasSize(2);
    assertThat(bloom.admin().explain(newName, KeyType.text(), "a2").isMember()).isTrue();
    // The merge raised the format of a renamed filter. One that is renamed again keeps its own.
    String again = newName();
    bloom.admin().rename(newName, again);
    assertThat(sql.number("SELECT format_version FROM bloom_filter WHERE name = ?", again))
        .isEqualTo(138);
    assertSound(again);
  }

  @Test
  void earlierVersionsRefuseARenamedFilter() throws SQLException {
    String name = newName();
    String newName = newName();
    Use.MIRRORED.reserve(bloom, name).close();
    bloom.admin().rename(name, newName);
    assertThat(format(newName)).isEqualTo(133);
    bloom.admin().grow(newName, 4000);
    assertThat(format(newName)).isEqualTo(134);
    bloom.admin().rename(newName, name);
    assertThat(format(name)).isEqualTo(134);
    for (int unknown : List.of(4, 60, 104, 111, 205)) {
      sql.run("UPDATE bloom_filter SET format_version = ? WHERE name = ?", unknown, name);
      assertThatThrownBy(() -> bloom.open(name, KeyType.text()))
          .as("format " + unknown)
          .isInstanceOf(UnsupportedFormatException.class)
          .hasMessageContaining("is stored in format " + unknown);
    }
  }

  private static long format(String name) throws SQLException {
    return sql.number("SELECT format_version FROM bloom_filter WHERE name = ?", name);
  }

  @Test
  void aRenamedFilterWithATableOfAnotherOneIsRefused() throws SQLException {
    String name = newName();
    String newName = newName();
    String other = newName();
    bloom.reserve(name, removable()).close();
    bloom.reserve(other, removable()).close();
    bloom.admin().rename(name, newName);
    bloom.admin().grow(newName, 4000);
    long id = bloom.info(newName).id();
    for (String table :
        List.of(
            "bloom_bits_" + other + "_v1",
            "bloom_bits_" + newName + "_v2",
            "bloom_journal",
            "bloom_bits_x` WHERE 1 -- _v1")) {
      sql.run(
          "UPDATE bloom_generation SET slot_table = ? WHERE filter_id = ? AND generation = 1",
          table,
          id);
      assertThatThrownBy(() -> bloom.open(newName, KeyType.text()))
          .as(table)
          .isInstanceOf(CorruptFilterException.class)
          .hasMessageContainingAll(newName, table, "backup");
    }
    sql.run(
        "UPDATE bloom_generation SET slot_table = ? WHERE filter_id = ? AND generation = 1",
        "bloom_bits_" + name + "_v1",
        id);
    for (String table : List.of("bloom_removed_" + other + "_v1", "bloom_journal")) {
      sql.run("UPDATE bloom_filter SET removed_table = ? WHERE id = ?", table, id);
      assertThatThrownBy(() -> bloom.open(newName, KeyType.text()))
          .as(table)
          .isInstanceOf(CorruptFilterException.class)
          .hasMessageContainingAll(newName, table, "backup");
    }
    sql.run(
        "UPDATE bloom_filter SET removed_table = ? WHERE id = ?",
        "bloom_removed_" + name + "_v1",
        id);
    assertThat(bloom.open(newName, KeyType.text()).add("a")).isTrue();
  }
}
