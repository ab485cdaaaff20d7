package io.github.slotbloom.internal.sql;

import static io.github.slotbloom.testing.Keys.keys;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.slotbloom.BloomFilter;
import io.github.slotbloom.FilterSpec;
import io.github.slotbloom.KeySource;
import io.github.slotbloom.ReplaceOptions;
import io.github.slotbloom.core.KeyType;
import io.github.slotbloom.testing.ByHand;
import io.github.slotbloom.testing.DatabaseContract;
import io.github.slotbloom.testing.MembershipFunctions;
import io.github.slotbloom.testing.Removing;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The stored function says no of a removed key at once, and yes again once it is back. */
@DatabaseContract(shortLeases = true)
@Tag("mysql")
class MembershipFunctionRemovedIT extends MembershipFunctions {

  private static FilterSpec.Builder<String> exact() {
    return spec(1000).falsePositiveRate(1e-9);
  }

  private static String answers(String name, List<String> keys) throws SQLException {
    StringBuilder answers = new StringBuilder();
    for (String key : keys) {
      answers.append(ask(name, key));
    }
    return answers.toString();
  }

  /** Each state is asked for before and after it is folded. */
  @Test
  void theFunctionKnowsRemovedKeysInEachState() throws SQLException {
    String name = "removed";
    List<String> keys = keys("key ", 6);
    try (BloomFilter<String> filter = bloom.reserve(name, exact().buildRemovable(100))) {
      makeFunction(name);
      filter.addEach(keys.subList(0, 4));
      bloom.admin(filter.name()).fold();
      assertThat(answers(name, keys)).isEqualTo("111100");

      whileNotFolded(
          name,
          () -> {
            assertThat(Removing.from(filter).removeEach(keys.subList(0, 2))).containsOnly(true);
            assertThat(answers(name, keys)).isEqualTo("001100");
          });
      bloom.admin(filter.name()).fold();
      assertThat(answers(name, keys)).isEqualTo("001100");

      whileNotFolded(
          name,
          () -> {
            filter.add(keys.get(0));
            assertThat(answers(name, keys)).as("back").isEqualTo("101100");
            Removing.from(filter).remove(keys.get(0));
            assertThat(answers(name, keys)).as("removed again").isEqualTo("001100");
            filter.addEach(keys.subList(1, 5));
            Removing.from(filter).remove(keys.get(4));
            assertThat(answers(name, keys)).as("never folded").isEqualTo("011100");
          });
      bloom.admin(filter.name()).fold();
      assertThat(answers(name, keys)).isEqualTo("011100");

      // A part of a batch is written before its entries count as folded.
      sql.run("UPDATE bloom_fold SET folded_seq = 0 WHERE filter_id = ?", bloom.info(name).id());
      assertThat(answers(name, keys)).isEqualTo("011100");
    }
  }

  @Test
  void theFunctionKnowsRemovedKeysOfAGrownFilter() throws SQLException {
    List<String> keys = keys("key ", 200);
    try (BloomFilter<String> filter =
        bloom.reserve("grown", exact().capacity(100).buildRemovable(100))) {
      filter.addEach(keys.subList(0, 100));
      bloom.admin("grown").grow(300);
      filter.addEach(keys.subList(100, 200));
      Removing.from(filter).remove("key 5");
      bloom.admin(filter.name()).fold();
      makeFunction("grown");
      Removing.from(filter).remove("key 150");
      Removing.from(filter).remove("key 6");
      filter.add("key 6");
      assertThat(answers("grown", List.of("key 5", "key 150", "key 4", "key 151", "key 6", "none")))
          .isEqualTo("001110");
    }
  }

  /** What was removed before the generation was filled is of no meaning for it. */
  @Test
  void whatWasRemovedBeforeAFilterWasRebuiltMeansNothing() throws SQLException {
    List<String> keys = keys("key ", 10);
    try (BloomFilter<String> filter = bloom.reserve("rebuilt", exact().buildRemovable(100))) {
      filter.addEach(keys);
      Removing.from(filter).removeEach(keys.subList(0, 5));
      bloom.admin(filter.name()).fold();
      List<String> source = keys.subList(3, 10);
      bloom
          .admin("rebuilt")
          .replace(
              2000,
              KeySource.of("a list", KeyType.text(), source::stream),
              ReplaceOptions.defaults().forced());
    }
    String table = sql.removed("rebuilt");
    makeFunction("rebuilt");
    assertThat(answers("rebuilt", keys)).isEqualTo("0000011111");
    try (BloomFilter<String> filter = bloom.open("rebuilt", KeyType.text())) {
      filter.add("key 3");
    }
    bloom.admin("rebuilt").fold();
    // As if its row of before were not deleted yet.
    sql.run("DELETE FROM " + table);
    sql.run(
        "INSERT INTO "
            + table
            + " SELECT CAST(CONV(HEX(SUBSTR(payload, 25, 8)), 16, -10) AS SIGNED), seq"
            + " FROM bloom_journal WHERE filter_id = ? AND kind = 'REMOVE'",
        bloom.info("rebuilt").id());
    try (BloomFilter<String> filter = bloom.open("rebuilt", KeyType.text())) {
      assertThat(answers("rebuilt", keys)).isEqualTo("0001011111");
      Removing.from(filter).remove("key 9");
      assertThat(answers("rebuilt", keys)).isEqualTo("0001011110");
      bloom.admin(filter.name()).fold();
      assertThat(answers("rebuilt", keys)).isEqualTo("0001011110");
    }
  }

  @Test
  void theFunctionRefusesAChangedFilterForAYesAsWell() throws SQLException {
    bloom.reserve("cleared", exact().buildRemovable(100)).add("a");
    makeFunction("cleared");
    assertThat(ask("cleared", "a")).isEqualTo("1");
    bloom.admin("cleared").clear();
    assertThatThrownBy(() -> ask("cleared", "a"))
        .hasMessageContaining("has changed since this function was created");
  }

  @Test
  void theFunctionsOfOtherFiltersKnowNothingOfRemovals() throws SQLException {
    bloom.reserve("lasting", spec(100).build()).close();
    assertThat(String.join("\n", bloom.admin("lasting").functionSql()))
        .doesNotContain("REMOVE", "RETURN'", "removed");
    bloom.reserve("removable", exact().buildRemovable(100)).close();
    assertThat(String.join("\n", bloom.admin("removable").functionSql()))
        .contains("REMOVE", "RETURN'", sql.removed("removable"));
  }

  /** Work that may fail as SQL does. */
  private interface Work {
    void run() throws SQLException;
  }

  private static void whileNotFolded(String name, Work work) throws SQLException {
    try (Connection folding =
        ByHand.holdingFoldLockOf(bloom.info(name).id(), schema.dataSource().getConnection())) {
      work.run();
      folding.rollback();
    }
  }
}
