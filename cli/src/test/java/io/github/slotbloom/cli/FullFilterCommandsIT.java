package io.github.slotbloom.cli;

import static io.github.slotbloom.cli.Lines.numbers;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.slotbloom.cli.Slotbloom.Result;
import io.github.slotbloom.testing.DatabaseContract;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Commands that add to a full filter do what the filter was made to do then. */
@DatabaseContract(migrated = true, shortLeases = true, onOne = true)
@Tag("e2e")
class FullFilterCommandsIT extends OnSchema {

  @Test
  void aFullFilterEndsDedupBeforeALineIsLost() throws Exception {
    String input = numbers(0, 3_000);
    Result result =
        slotbloom.runOn(input + numbers(0, 10), "dedup full --capacity 2_000 --on-full refuse");

    // A false positive takes no room, so one line more could fit.
    assertThat(result.ended(4).out()).startsWith(numbers(0, 2_000)).hasLineCount(2_000);
    assertThat(result.err())
        .contains("standard input, line 2001: filter full is full, with 2,000 of 2,000 keys")
        .contains("slotbloom grow full --capacity N")
        .hasLineCount(1);
    assertThat(slotbloom.out("add full 1 2")).isEqualTo("0\t1\n0\t2\n");
    assertThat(slotbloom.error(4, "add full x")).contains("full");
    assertThat(slotbloom.run("exists full x").ended(3).out()).isEqualTo("0\tx\n");

    slotbloom.run("grow full --capacity 5_000").succeeded();
    Result more = slotbloom.runOn(input, "dedup full").succeeded();
    assertThat(more.out().lines().count()).isBetween(998L, 1_000L);
  }

  @Test
  void dedupGrowsBeyondItsCapacityAndLosesNoLine() throws Exception {
    String input = numbers(0, 7_500);
    String dedup = "dedup grown --capacity 2_000";
    assertThat(slotbloom.outOn(input + numbers(0, 10), dedup)).isEqualTo(input);
    assertThat(slotbloom.outOn(input, dedup)).isEmpty();

    assertThat(json("info grown"))
        .containsEntry("onFull", "grow")
        .containsEntry("capacity", 8_000)
        .containsEntry("keysAdded", 7_500)
        .containsEntry("nearlyFull", true);
    String other = slotbloom.errorOn(1, "x\n", "dedup grown --capacity 99_999");
    assertThat(other).contains("capacity of 8,000 keys", "--capacity 99999");
  }

  @Test
  void aFilterThatDegradesTakesMoreKeysAndSaysSo() throws Exception {
    String dedup = "dedup more --capacity 2_000 --on-full degrade";
    Result result = slotbloom.runOn(numbers(0, 3_000), dedup).ended(7);
    assertThat(result.out().lines().count()).isBetween(2_990L, 3_000L);
    assertThat(result.err())
        .contains("of 2,000 keys", "its false positive rate rises", "filter more is");
  }

  @Test
  void theBehaviorWhenFullIsStored() throws Exception {
    Map<String, String> stored =
        Map.of(
            "", "grow",
            "--on-full=grow", "grow",
            "--on-full=refuse", "refuse",
            "--on-full=degrade", "degrade",
            "--fixed", "degrade");
    for (String option : stored.keySet()) {
      String name = "f" + option.length();
      slotbloom
          .run("reserve --capacity 10 " + name + (option.isEmpty() ? "" : " " + option))
          .succeeded();
      assertThat(json("info " + name))
          .containsEntry("onFull", stored.get(option))
          .containsEntry("nearlyFull", false);
    }
  }

  @Test
  void addTakesTheArgumentsThatFit() throws Exception {
    slotbloom.run("reserve three --capacity 3 --fpp 1e-9 --on-full refuse").succeeded();

    Result result = slotbloom.run("add three a b a c d e").ended(4);

    assertThat(result.out()).isEqualTo("1\ta\n1\tb\n0\ta\n1\tc\n");
    assertThat(result.err()).contains("key 5: filter three is full, with 3 of 3 keys");
  }
}
