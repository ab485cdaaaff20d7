package io.github.slotbloom.cli;

import static io.github.slotbloom.cli.Lines.numbers;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.jr.ob.JSON;
import io.github.slotbloom.testing.ByHand;
import io.github.slotbloom.testing.DatabaseContract;
import io.github.slotbloom.testing.Sql;
import io.github.slotbloom.testing.TestSchema;
import java.nio.file.Path;
import java.sql.Connection;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Commands that add keys say which slots are not written yet, and write them when asked to. */
@DatabaseContract(migrated = true, onOne = true)
@Tag("e2e")
class FoldCommandsIT {

  private static final int MANY = 100_001;

  private final TestSchema schema;
  private final InProcess slotbloom;

  FoldCommandsIT(TestSchema schema, @TempDir Path home) {
    this.schema = schema;
    slotbloom = new InProcess(home).on(schema, schema.owner());
  }

  private Map<String, Object> info(String filter) throws Exception {
    return JSON.std.mapFrom(slotbloom.run("info", filter, "--json").succeeded().out());
  }

  @Test
  void manyKeysAreLeftForLaterAndFoldWritesThem() throws Exception {
    String[] dedup = {"dedup", "many", "--capacity", "200_000"};
    assertThat(slotbloom.runOn(numbers(0, MANY), dedup).succeeded().err())
        .contains("slotbloom fold many does it now", "many: 100,001 lines read");

    assertThat(((Number) info("many").get("estimatedKeys")).longValue())
        .isBetween(99_000L, MANY + 1000L);
    slotbloom.run("fold", "many").succeeded();
    assertThat(info("many")).containsEntry("unfoldedKeys", 0).containsEntry("backlog", 0);
    assertThat(slotbloom.run("fold", "many").succeeded().err())
        .isEqualTo("slotbloom: many: no keys had to be written to the slots.\n");
  }

  @Test
  void manyKeysAreFoldedBeforeTheEndWhenAskedFor() throws Exception {
    String[] dedup = {"dedup", "many", "--capacity", "200_000", "--fold"};
    assertThat(slotbloom.runOn(numbers(0, MANY), dedup).succeeded().err())
        .doesNotContain("not written yet");
    assertThat(info("many")).containsEntry("unfoldedKeys", 0).containsEntry("backlog", 0);

    assertThat(slotbloom.run("add", "many", "--fold", "one more").succeeded().out())
        .isEqualTo("1\tone more\n");
    assertThat(info("many")).containsEntry("keysAdded", MANY + 1).containsEntry("backlog", 0);
  }

  @Test
  void infoSaysWhatWaitsToBeFolded() throws Exception {
    slotbloom.run("reserve", "waits", "--capacity", "10_000").succeeded();
    long id = new Sql(schema.dataSource()).number("SELECT id FROM bloom_filter");
    try (Connection folding = ByHand.holdingFoldLockOf(id, schema.dataSource().getConnection())) {
      slotbloom.runOn(numbers(0, 5000), "add", "waits").succeeded();
      assertThat(slotbloom.run("info", "waits").succeeded().out())
          .contains("5,000 of 10,000 (50.0 %)", "about 5,000, with those to be folded\n")
          .containsPattern("To be folded +5,000 keys in 1?\\d entr(y|ies), the oldest for \\d+ s;");
      folding.rollback();
    }
  }

  @Test
  void aLastLineWithoutALineFeedGetsOneSoThatMoreCanBeAppended() throws Exception {
    String[] dedup = {"dedup", "ends", "--capacity", "100"};
    assertThat(slotbloom.runOn("a\nb", dedup).succeeded().out()).isEqualTo("a\nb\n");
    assertThat(slotbloom.runOn("c\0d", "dedup", "ends", "-0").succeeded().out()).isEqualTo("c\0d");
  }
}
