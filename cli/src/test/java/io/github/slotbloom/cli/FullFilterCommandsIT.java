package io.github.slotbloom.cli;

import static io.github.slotbloom.cli.Lines.numbers;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.slotbloom.cli.Slotbloom.Result;
import io.github.slotbloom.testing.DatabaseContract;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Commands that add to a full filter do what the filter was made to do then. */
@DatabaseContract(migrated = true, onOne = true)
@Tag("e2e")
class FullFilterCommandsIT extends OnSchema {

  @Test
  void aFullFilterEndsDedupBeforeALineIsLost() throws Exception {
    String input = numbers(0, 3_000);
    Result result =
        slotbloom.runOn(
            input + numbers(0, 10), "dedup", "full", "--capacity", "2_000", "--on-full", "refuse");

    // A false positive takes no room, so one line more could fit.
    assertThat(result.ended(4).out()).startsWith(numbers(0, 2_000)).hasLineCount(2_000);
    assertThat(result.err())
        .contains("standard input, line 2001: filter full is full, with 2,000 of 2,000 keys")
        .contains("slotbloom grow full --capacity N")
        .hasLineCount(1);
    assertThat(slotbloom.run("add", "full", "1", "2").succeeded().out()).isEqualTo("0\t1\n0\t2\n");
    assertThat(slotbloom.run("add", "full", "x").failed(4).err()).contains("full");
    assertThat(slotbloom.run("exists", "full", "x").ended(3).out()).isEqualTo("0\tx\n");

    slotbloom.run("grow", "full", "--capacity", "5_000").succeeded();
    Result more = slotbloom.runOn(input, "dedup", "full").succeeded();
    assertThat(more.out().lines().count()).isBetween(998L, 1_000L);
  }

  @Test
  void dedupGrowsBeyondItsCapacityAndLosesNoLine() throws Exception {
    String input = numbers(0, 30_000);
    String[] dedup = {"dedup", "grown", "--capacity", "2_000"};
    assertThat(slotbloom.runOn(input + numbers(0, 10), dedup).succeeded().out()).isEqualTo(input);
    assertThat(slotbloom.runOn(input, dedup).succeeded().out()).isEmpty();

    String info = slotbloom.run("info", "grown", "--json").succeeded().out();
    assertThat(info)
        .contains("\"onFull\":\"grow\"", "\"capacity\":32000", "\"keysAdded\":30000")
        .contains("\"nearlyFull\":true");
    String other = slotbloom.runOn("x\n", "dedup", "grown", "--capacity", "99_999").failed(1).err();
    assertThat(other).contains("for 32,000 keys", "--capacity 99999");
  }

  @Test
  void aFilterThatDegradesTakesMoreKeysAndSaysSo() throws Exception {
    String[] dedup = {"dedup", "more", "--capacity", "2_000", "--on-full", "degrade"};
    Result result = slotbloom.runOn(numbers(0, 3_000), dedup).ended(7);
    assertThat(result.out().lines().count()).isBetween(2_990L, 3_000L);
    assertThat(result.err())
        .contains("of 2,000 keys", "its error rate rises", "more errs far more often");
  }

  @ParameterizedTest
  @CsvSource({
    "a,,grow",
    "b,--on-full=grow,grow",
    "c,--on-full=refuse,refuse",
    "d,--on-full=degrade,degrade",
    "e,--fixed,degrade"
  })
  void theBehaviorWhenFullIsStored(String name, String option, String stored) throws Exception {
    List<String> reserve = new ArrayList<>(List.of("reserve", name, "--capacity", "10"));
    if (option != null) {
      reserve.add(option);
    }
    slotbloom.run(reserve.toArray(String[]::new)).succeeded();
    assertThat(json("info", name))
        .containsEntry("onFull", stored)
        .containsEntry("nearlyFull", false);
  }

  @Test
  void addTakesTheArgumentsThatFit() throws Exception {
    slotbloom
        .run("reserve", "three", "--capacity", "3", "--fpp", "1e-9", "--on-full", "refuse")
        .succeeded();

    Result result = slotbloom.run("add", "three", "a", "b", "a", "c", "d", "e").ended(4);

    assertThat(result.out()).isEqualTo("1\ta\n1\tb\n0\ta\n1\tc\n");
    assertThat(result.err()).contains("key 5: filter three is full, with 3 of 3 keys");
  }
}
