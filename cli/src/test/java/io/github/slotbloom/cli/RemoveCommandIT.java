package io.github.slotbloom.cli;

import static io.github.slotbloom.cli.Lines.numbers;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.slotbloom.BloomFilter;
import io.github.slotbloom.SlotBloom;
import io.github.slotbloom.cli.Slotbloom.Result;
import io.github.slotbloom.core.KeyType;
import io.github.slotbloom.testing.DatabaseContract;
import io.github.slotbloom.testing.Sql;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Keys are removed, and every command that comes later knows. */
@DatabaseContract(migrated = true, onOne = true)
@Tag("e2e")
class RemoveCommandIT extends OnSchema {

  private void reserve(String name, String... more) throws Exception {
    List<String> reserve =
        new ArrayList<>(
            List.of("reserve", name, "--capacity", "100_000", "--fpp", "1e-9", "--removable=25"));
    reserve.addAll(List.of(more));
    slotbloom.run(reserve.toArray(String[]::new)).succeeded();
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "--retain-hashes"})
  void aRemovedKeyIsMissingUntilItIsAddedAgain(String option) throws Exception {
    reserve("urls", option.isEmpty() ? new String[0] : new String[] {option});
    slotbloom.run("add", "urls", "a", "b", "c").succeeded();

    assertThat(slotbloom.run("remove", "urls", "a", "z", "a").succeeded().out())
        .isEqualTo("1\ta\n0\tz\n0\ta\n");
    assertThat(slotbloom.runOn("b\n\nb\n", "remove", "urls", "-", "--fold").succeeded().out())
        .isEqualTo("1\tb\n0\t\n0\tb\n");

    assertThat(slotbloom.run("exists", "urls", "a", "b", "c").ended(3).out())
        .isEqualTo("0\ta\n0\tb\n1\tc\n");
    assertThat(slotbloom.run("add", "urls", "a", "c").succeeded().out()).isEqualTo("1\ta\n0\tc\n");
    assertThat(slotbloom.runOn("a\nb\nc\n", "dedup", "urls").succeeded().out()).isEqualTo("b\n");
    assertThat(launcher.run("remove", "urls", "b").succeeded().out()).isEqualTo("1\tb\n");
  }

  @Test
  void numbersAndLinesWithOtherEndsAreRemovedToo() throws Exception {
    reserve("ids", "--key-type", "long");
    slotbloom.run("add", "ids", "--key-type", "long", "1", "2").succeeded();

    assertThat(
            slotbloom
                .runOn("1\0-7\0", "remove", "ids", "--key-type", "long", "-0")
                .succeeded()
                .out())
        .isEqualTo("1\t1\0000\t-7\000");
    assertThat(slotbloom.run("remove", "ids", "2").failed(2).err()).contains("--key-type long");
    assertThat(slotbloom.run("remove", "ids", "--key-type", "long", "2x").failed(2).err())
        .contains("'2x'");
  }

  @Test
  void manyLinesAreAnsweredInFull() throws Exception {
    reserve("many");
    slotbloom.runOn(numbers(0, 25_000), "add", "many").succeeded();

    String removed = slotbloom.runOn(numbers(5_000, 45_000), "remove", "many").succeeded().out();

    assertThat(removed.lines().filter(line -> line.startsWith("1")).count()).isEqualTo(20_000);
    assertThat(removed).hasLineCount(40_000).startsWith("1\t5000\n").endsWith("0\t44999\n");
    assertThat(slotbloom.runOn(numbers(0, 25_000), "dedup", "many").succeeded().out())
        .isEqualTo(numbers(5_000, 25_000));
  }

  @Test
  void otherFiltersRefuse() throws Exception {
    slotbloom.run("reserve", "fast", "--capacity", "1000").succeeded();

    assertThat(slotbloom.run("remove", "fast", "a").failed(2).err())
        .contains("not reserved as removable", "--removable");
    assertThat(slotbloom.runOn("a\n", "remove", "fast").failed(2).err()).contains("--removable");
    assertThat(slotbloom.run("remove", "gone", "a").failed(1).err()).contains("gone");
  }

  @Test
  void whatFitsIsRemovedAndTheFirstKeyThatDoesNotIsNamed() throws Exception {
    slotbloom
        .run(
            "reserve",
            "small",
            "--capacity",
            "1000",
            "--fpp",
            "1e-9",
            "--removable",
            "--on-full",
            "degrade")
        .succeeded();
    slotbloom.runOn(numbers(0, 1_500), "add", "small").succeeded();

    Result result = slotbloom.runOn("no key\n" + numbers(0, 1_500), "remove", "small").ended(4);

    assertThat(result.out()).hasLineCount(1_001).endsWith("1\t999\n");
    assertThat(result.err())
        .contains("Filter small is full")
        .contains("standard input, line 1002: No more keys can be removed from filter small")
        .contains("grow small --from", "neither removed nor printed.")
        .hasLineCount(2);
    assertThat(json("info", "small"))
        .containsEntry("keysAdded", 1_500)
        .containsEntry("keysRemoved", 1_000)
        .containsEntry("removableKeys", 1_000)
        .containsEntry("removedKeysBytes", 32_768);
    assertThat(slotbloom.run("remove", "small", "x", "1000", "y").ended(4).out())
        .isEqualTo("0\tx\n");
  }

  @Test
  void aProcessThatHoldsTheFilterFindsWhatACommandRemovedMissing() throws Exception {
    reserve("shared");
    try (SlotBloom bloom = SlotBloom.on(schema.dataSource());
        BloomFilter<String> shared = bloom.open("shared", KeyType.text())) {
      shared.add("a");
      assertThat(shared.mightContain("a")).isTrue();
      slotbloom.run("remove", "shared", "a").succeeded();
      assertThat(shared.mightContain("a")).isFalse();
      assertThat(shared.add("a")).isTrue();
      assertThat(slotbloom.run("remove", "shared", "a").succeeded().out()).isEqualTo("1\ta\n");
    }
  }

  /** Each removal lets the line through once more, and nothing else does. */
  @Test
  void dedupPrintsALineOnceForEachTimeThatOthersRemoveItsKey() throws Exception {
    String lines = numbers(0, 20_000);
    slotbloom
        .run("reserve", "race", "--capacity", "100_000", "--fpp", "1e-9", "--removable=100")
        .succeeded();
    List<CompletableFuture<Result>> runs = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      String command = i < 2 ? "dedup" : "remove";
      runs.add(
          CompletableFuture.supplyAsync(
              () -> slotbloom.runOn(lines + lines + lines, command, "race"),
              task -> new Thread(task, command).start()));
    }

    long printed = 0;
    for (CompletableFuture<Result> dedup : runs.subList(0, 2)) {
      printed += dedup.get(10, TimeUnit.MINUTES).succeeded().out().lines().count();
    }
    long removed =
        runs.get(2)
            .get(10, TimeUnit.MINUTES)
            .succeeded()
            .out()
            .lines()
            .filter(line -> line.startsWith("1"))
            .count();

    long there =
        slotbloom
            .runOn(lines, "exists", "race")
            .succeeded()
            .out()
            .lines()
            .filter(line -> line.startsWith("1"))
            .count();
    assertThat(printed - removed).isEqualTo(there);
    assertThat(printed).isGreaterThanOrEqualTo(20_000);
  }

  @Test
  void infoAndTheReportTellOfRemovedKeys() throws Exception {
    reserve("told", "--retain-hashes");
    slotbloom.runOn(numbers(0, 300), "add", "told").succeeded();
    slotbloom.runOn(numbers(0, 100), "remove", "told", "--fold").succeeded();

    assertThat(slotbloom.run("info", "told").succeeded().out())
        .containsPattern("\n  Keys +200 of 100,000 \\(0\\.3 %\\) with the removed ones\n")
        .containsPattern(
            "\n  Removed +100 of 100,000 keys that may be before it is built anew; 4.0 KiB of");
    assertThat(json("info", "told"))
        .containsEntry("keysAdded", 200)
        .containsEntry("keysRemoved", 100);
    assertThat(slotbloom.run("report", "told", "--html", "-").succeeded().out())
        .contains("100 of 100,000\u00a0keys that may be before the filter is built anew");
    try (SlotBloom bloom = SlotBloom.on(schema.dataSource());
        BloomFilter<String> told = bloom.open("told", KeyType.text())) {
      assertThat(told.statistics().mirror().orElseThrow().bytes())
          .isEqualTo(told.info().mirrorBytes());
    }
  }

  @Test
  void whatReserveWouldMakeIsPrinted() throws Exception {
    String printed =
        slotbloom
            .run("reserve", "made", "--capacity", "1000", "--removable", "--print-sql")
            .succeeded()
            .out();

    assertThat(printed).contains("`bloom_bits_made_v1`", "`bloom_removed_made_v1`");
    new Sql(schema.dataSource()).runScript(printed);
    InProcess limited =
        new InProcess(directory).on(schema, schema.createAccount("SELECT, INSERT, UPDATE, DELETE"));
    limited.run("reserve", "made", "--capacity", "1000", "--removable").succeeded();
    limited.run("add", "made", "a").succeeded();
    assertThat(limited.run("remove", "made", "a").succeeded().out()).isEqualTo("1\ta\n");
    assertThat(limited.run("reserve", "other", "--capacity", "1000", "--print-sql").out())
        .doesNotContain("removed");
  }

  @ParameterizedTest
  @CsvSource({"--removable,10", "--removable=1,1", "--removable=100,100"})
  void thePercentageIsStored(String option, int percent) throws Exception {
    // The next argument is a name, not a percentage.
    slotbloom.run("reserve", option, "share", "--capacity", "1_000_000").succeeded();
    assertThat(new Sql(schema.dataSource()).number("SELECT removable_percent FROM bloom_filter"))
        .isEqualTo(percent);
  }

  @Test
  void dedupMakesSuchAFilterToo() throws Exception {
    String[] dedup = {"dedup", "lines", "--capacity", "1000", "--removable"};
    slotbloom.runOn("a\nb\n", dedup).succeeded();
    slotbloom.run("remove", "lines", "a").succeeded();
    assertThat(slotbloom.runOn("a\nb\n", dedup).succeeded().out()).isEqualTo("a\n");
    assertThat(slotbloom.runOn("a\n", "dedup", "lines", "--capacity", "1000").succeeded().out())
        .isEmpty();

    slotbloom.runOn("a\n", "dedup", "fast", "--capacity", "1000").succeeded();
    assertThat(slotbloom.runOn("a\n", "dedup", "fast", "--removable").failed(1).err())
        .contains("Filter fast was made without it, and --removable was given");
  }
}
