package io.github.slotbloom.cli;

import static io.github.slotbloom.cli.Lines.numbers;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.slotbloom.testing.ByHand;
import io.github.slotbloom.testing.DatabaseContract;
import java.sql.Connection;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Commands that add keys say which slots are not written yet, and write them when asked to. */
@DatabaseContract(migrated = true, onOne = true)
@Tag("e2e")
class FoldCommandsIT extends OnSchema {

  private static final int MANY = 100_001;

  @Test
  void dedupLeavesManyKeysUnfoldedUnlessItIsAskedToFold() throws Exception {
    assertThat(slotbloom.runOn(numbers(0, MANY), "dedup many --capacity 200_000").succeeded().err())
        .contains("To write them now, run slotbloom fold many.", "many: 100,001 lines read");
    assertThat(((Number) json("info many").get("estimatedKeys")).longValue())
        .isBetween(99_000L, MANY + 1000L);

    assertThat(slotbloom.runOn("one more\n", "dedup many --fold").succeeded().err())
        .doesNotContain("not written yet");
    assertThat(json("info many")).containsEntry("unfoldedKeys", 0).containsEntry("backlog", 0);
    assertThat(slotbloom.outOn("another\n", "add many --fold")).isEqualTo("1\tanother\n");
    assertThat(json("info many")).containsEntry("keysAdded", MANY + 2).containsEntry("backlog", 0);
    assertThat(slotbloom.run("fold many").succeeded().err())
        .isEqualTo("slotbloom: many: no keys were waiting to be written to the slots.\n");
  }

  @Test
  void infoShowsTheKeysThatWaitToBeFolded() throws Exception {
    slotbloom.run("reserve waits --capacity 10_000").succeeded();
    long id = sql.number("SELECT id FROM bloom_filter");
    try (Connection folding = ByHand.holdingFoldLockOf(id, schema.dataSource().getConnection())) {
      slotbloom.runOn(numbers(0, 5000), "add waits").succeeded();
      assertThat(slotbloom.out("info waits"))
          .contains("5,000 of 10,000 (50.0 %)", "about 5,000, including unfolded keys\n")
          .containsPattern("False positive rate +about [^;]+, expected; target ")
          .containsPattern("To be folded +5,000 keys in 1?\\d entr(y|ies), the oldest \\d+ s old;");
      folding.rollback();
    }
    slotbloom.run("fold waits").succeeded();
    assertThat(slotbloom.out("info waits"))
        .containsPattern("False positive rate +[^;]+ now; target ");
  }
}
