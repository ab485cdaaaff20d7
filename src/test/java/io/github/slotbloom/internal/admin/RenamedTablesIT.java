package io.github.slotbloom.internal.admin;

import static io.github.slotbloom.testing.Exports.export;
import static io.github.slotbloom.testing.FilterNames.newName;
import static io.github.slotbloom.testing.Keys.assertHolds;
import static io.github.slotbloom.testing.Keys.keys;
import static io.github.slotbloom.testing.Keys.source;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.slotbloom.BloomFilter;
import io.github.slotbloom.FilterInfo;
import io.github.slotbloom.FilterSpec;
import io.github.slotbloom.KeySource;
import io.github.slotbloom.ReplaceOptions;
import io.github.slotbloom.SlotBloom;
import io.github.slotbloom.VerifyOptions;
import io.github.slotbloom.core.KeyType;
import io.github.slotbloom.testing.DatabaseContract;
import io.github.slotbloom.testing.Fixture;
import io.github.slotbloom.testing.KnownLogs;
import io.github.slotbloom.testing.MembershipFunctions;
import io.github.slotbloom.testing.PossibleLog;
import io.github.slotbloom.testing.Removing;
import io.github.slotbloom.testing.Use;
import java.io.ByteArrayInputStream;
import java.sql.SQLException;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The tables of a renamed filter keep their names, and no other filter ever gets one of them. */
@DatabaseContract(shortLeases = true)
@PossibleLog(KnownLogs.FOLDING_FAILED)
class RenamedTablesIT extends MembershipFunctions {

  private static final Use USE = Use.MIRRORED;

  @Fixture private static SlotBloom there;

  private static FilterSpec<String> removable() {
    return FilterSpec.builder(KeyType.text())
        .capacity(2000)
        .falsePositiveRate(1e-9)
        .buildRemovable(100);
  }

  private static List<String> slotTables(String name) {
    return bloom.info(name).generations().stream().map(FilterInfo.Generation::slotTable).toList();
  }

  private static List<String> tablesNamedAfter(String name) throws SQLException {
    return sql.texts(
        "SHOW TABLES WHERE Tables_in_" + schema.name() + " RLIKE ?", "_" + name + "(_v|$)");
  }

  private static void assertSound(String name) {
    assertThat(bloom.admin(name).verify(VerifyOptions.defaults()).findings()).isEmpty();
  }

  @Test
  void aRenamedFilterGrowsIsReplacedAndCleared() throws SQLException {
    String name = newName();
    String newName = newName();
    BloomFilter<String> old = USE.reserve(bloom, name);
    old.addEach(keys("a", 100));
    bloom.admin(name).grow(4000);
    old.addEach(keys("b", 100));

    bloom.admin(name).rename(newName);

    // Its journal still has the entry that began the second generation, which names no table.
    BloomFilter<String> renamed = USE.open(there, newName);
    assertHolds(renamed, keys("a", 100));
    assertHolds(renamed, keys("b", 100));
    bloom.admin(newName).grow(8000);
    renamed.addEach(keys("c", 100));
    assertThat(slotTables(newName))
        .isEqualTo(schema.slotTables(name))
        .containsExactly(sql.slots(newName, 1), sql.slots(newName, 2), sql.slots(newName, 3));
    there.admin(renamed.name()).fold();
    assertSound(newName);
    assertHolds(USE.open(bloom, newName), keys("c", 100));

    List<String> all =
        Stream.of(keys("a", 100), keys("b", 100), keys("c", 100)).flatMap(List::stream).toList();
    bloom.admin(newName).replace(9000, source(all), ReplaceOptions.defaults());
    assertThat(slotTables(newName)).containsExactly(sql.slots(newName, 4));
    assertHolds(renamed, all);
    assertSound(newName);

    there.admin(renamed.name()).clear();
    assertThat(renamed.mightContainEach(all)).containsOnly(false);
    assertThat(renamed.add("a1")).isTrue();
    assertSound(newName);
    bloom.admin(newName).drop();
    assertThat(tablesNamedAfter(name)).isEmpty();
  }

  @Test
  void aNewFilterOfTheOldNameSharesNoTable() throws SQLException {
    String name = newName();
    String newName = newName();
    bloom.reserve(name, removable()).addEach(keys("a", 100));
    bloom.admin(name).grow(4000);
    BloomFilter<String> old = USE.open(bloom, name);
    Removing.from(old).remove("a7");
    there.admin(old.name()).fold();
    bloom.admin(name).rename(newName);

    BloomFilter<String> heir = bloom.reserve(name, removable(), USE.options());
    heir.addEach(keys("b", 100));
    Removing.from(heir).remove("b7");
    bloom.admin(name).grow(4000);
    bloom.admin(newName).grow(8000);
    BloomFilter<String> renamed = USE.open(there, newName);
    renamed.addEach(keys("more a", 100));
    heir.addEach(keys("more b", 100));
    there.admin(renamed.name()).fold();
    there.admin(heir.name()).fold();

    assertThat(slotTables(newName)).hasSize(3).doesNotContainAnyElementsOf(slotTables(name));
    assertThat(renamed.mightContainEach(List.of("a7", "a8", "b7", "b8", "more a1", "more b1")))
        .containsExactly(false, true, false, false, true, false);
    assertThat(heir.mightContainEach(List.of("a7", "a8", "b7", "b8", "more a1", "more b1")))
        .containsExactly(false, false, false, true, false, true);
    assertSound(name);
    assertSound(newName);

    bloom.admin(newName).drop();
    assertThat(heir.mightContainEach(List.of("b7", "b8"))).containsExactly(false, true);
    assertSound(name);
    assertThat(tablesNamedAfter(name))
        .containsExactlyInAnyOrder(sql.slots(name, 1), sql.slots(name, 2), sql.removed(name));
    bloom.admin(name).drop();
    assertThat(tablesNamedAfter(name)).isEmpty();
  }

  @Test
  void aGrowthThatWasBegunBeforeIsFinishedAfterwards() throws SQLException {
    String name = newName();
    String newName = newName();
    Use.MIRRORED.reserve(bloom, name).add("a");
    // What a process leaves that dies as it has made the table.
    long id = bloom.info(name).id();
    sql.run("INSERT INTO bloom_table (filter_id, generation) VALUES (?, 2)", id);
    sql.runScript(bloom.admin(name).growSql());
    String made = sql.slots(name, 2);
    bloom.admin(name).rename(newName);
    assertThat(sql.slots(newName, 2)).isEqualTo(made);
    assertThat(bloom.admin(newName).growSql()).contains("`" + made + "`");

    bloom.admin(newName).grow(4000);
    bloom.admin(newName).grow(8000);

    assertThat(slotTables(newName)).hasSize(3).isEqualTo(schema.slotTables(name));
    assertHolds(Use.DIRECT.open(there, newName), List.of("a"));
  }

  @Test
  void theFunctionOfARenamedFilterGoesOn() throws SQLException {
    String name = newName();
    String newName = newName();
    BloomFilter<String> filter =
        bloom.reserve(name, spec(100).falsePositiveRate(1e-9).buildRemovable(100));
    filter.addEach(List.of("a", "b"));
    Removing.from(filter).remove("b");
    there.admin(filter.name()).fold();
    makeFunction(name);

    bloom.admin(name).rename(newName);
    bloom.reserve(name, spec(100).build()).add("c");
    makeFunction(name);

    assertThat(List.of(ask(newName, "a"), ask(newName, "b"), ask(newName, "c")))
        .containsExactly("1", "0", "0");
    assertThat(List.of(ask(name, "a"), ask(name, "b"), ask(name, "c")))
        .containsExactly("0", "0", "1");
  }

  @Test
  void aRenamedFilterIsRebuiltExportedCopiedMergedAndInspected() throws Exception {
    String name = newName();
    String newName = newName();
    FilterSpec<String> spec =
        FilterSpec.builder(KeyType.text())
            .capacity(2000)
            .falsePositiveRate(1e-9)
            .retainHashes()
            .buildRemovable(100);
    BloomFilter<String> filter = bloom.reserve(name, spec);
    filter.addEach(keys("a", 100));
    Removing.from(filter).remove("a1");
    bloom.admin(name).rename(newName);
    bloom.admin(newName).replace(3000, KeySource.journal(), ReplaceOptions.defaults());
    assertThat(bloom.info(newName).keysAdded()).isEqualTo(99);
    bloom.admin(newName).grow(4000);
    byte[] export = export(bloom, newName);

    bloom.importFrom(name, new ByteArrayInputStream(export));
    String copy = newName();
    bloom.admin(newName).copyTo(copy);
    there.open(copy, KeyType.text()).addEach(keys("b", 100));
    bloom.admin(copy).mergeInto(newName);

    for (String of : List.of(name, copy, newName)) {
      assertThat(there.open(of, KeyType.text()).mightContainEach(List.of("a1", "a2")))
          .as(of)
          .containsExactly(false, true);
      assertSound(of);
    }
    assertHolds(there.open(newName, KeyType.text()), keys("b", 100));
    assertThat(bloom.admin(newName).inspect(8).generations()).hasSize(2);
    assertThat(bloom.admin(newName).explain(KeyType.text(), "a2").isMember()).isTrue();
  }
}
