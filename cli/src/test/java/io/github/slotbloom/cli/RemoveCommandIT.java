package io.github.slotbloom.cli;

import static io.github.slotbloom.cli.Lines.numbers;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.slotbloom.BloomFilter;
import io.github.slotbloom.SlotBloom;
import io.github.slotbloom.cli.Slotbloom.Result;
import io.github.slotbloom.core.KeyType;
import io.github.slotbloom.testing.DatabaseContract;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Keys are removed, and every command that comes later knows. */
@DatabaseContract(migrated = true, onOne = true)
@Tag("e2e")
class RemoveCommandIT extends OnSchema {

  private void reserve(String line) {
    slotbloom.run("reserve --capacity 100_000 --fpp 1e-9 --removable=25 " + line).succeeded();
  }

  private static long yes(String printed) {
    return printed.lines().filter(line -> line.startsWith("1")).count();
  }

  @Test
  void aRemovedKeyIsMissingUntilItIsAddedAgain() {
    reserve("urls");
    slotbloom.run("add urls a b c").succeeded();

    assertThat(slotbloom.out("remove urls a z a")).isEqualTo("1\ta\n0\tz\n0\ta\n");
    assertThat(slotbloom.outOn("b\n\nb\n", "remove urls - --fold")).isEqualTo("1\tb\n0\t\n0\tb\n");

    assertThat(slotbloom.run("exists urls a b c").ended(3).out()).isEqualTo("0\ta\n0\tb\n1\tc\n");
    assertThat(slotbloom.out("add urls a c")).isEqualTo("1\ta\n0\tc\n");
    assertThat(slotbloom.outOn("a\nb\nc\n", "dedup urls")).isEqualTo("b\n");
  }

  @Test
  void numbersAndLinesWithOtherEndsAreRemovedToo() throws Exception {
    reserve("ids --key-type long");
    slotbloom.run("add ids --key-type long 1 2").succeeded();

    assertThat(slotbloom.outOn("1\0-7\0", "remove ids --key-type long -0"))
        .isEqualTo("1\t1\0000\t-7\000");
    assertThat(slotbloom.error(2, "remove ids 2")).contains("--key-type long");
    assertThat(slotbloom.error(2, "remove ids --key-type long 2x")).contains("'2x'");
  }

  @Test
  void manyLinesAreAnsweredInFull() throws Exception {
    reserve("many");
    slotbloom.runOn(numbers(0, 12_000), "add many").succeeded();

    String removed = slotbloom.outOn(numbers(1_000, 23_000), "remove many");

    assertThat(yes(removed)).isEqualTo(11_000);
    assertThat(removed).hasLineCount(22_000).startsWith("1\t1000\n").endsWith("0\t22999\n");
    assertThat(slotbloom.outOn(numbers(0, 12_000), "dedup many")).isEqualTo(numbers(1_000, 12_000));
  }

  @Test
  void otherFiltersRefuse() throws Exception {
    slotbloom.run("reserve fast --capacity 1000").succeeded();

    assertThat(slotbloom.error(2, "remove fast a"))
        .contains("created without --removable", "--removable");
    assertThat(slotbloom.errorOn(2, "a\n", "remove fast")).contains("--removable");
    assertThat(slotbloom.error(1, "remove gone a")).contains("gone");
  }

  @Test
  void whatFitsIsRemovedAndTheFirstKeyThatDoesNotIsNamed() throws Exception {
    slotbloom
        .run("reserve small --capacity 1000 --fpp 1e-9 --removable --on-full degrade")
        .succeeded();
    slotbloom.runOn(numbers(0, 1_500), "add small").succeeded();

    Result result = slotbloom.runOn("no key\n" + numbers(0, 1_500), "remove small").ended(4);

    assertThat(result.out()).hasLineCount(1_001).endsWith("1\t999\n");
    assertThat(result.err())
        .contains("Filter small is full")
        .contains("standard input, line 1002: No more keys can be removed from filter small")
        .contains("grow small --from", "neither removed nor printed.")
        .hasLineCount(2);
    assertThat(json("info small"))
        .containsEntry("keysAdded", 1_500)
        .containsEntry("keysRemoved", 1_000)
        .containsEntry("removableKeys", 1_000)
        .containsEntry("removedKeysBytes", 32_768);
    assertThat(slotbloom.run("remove small x 1000 y").ended(4).out()).isEqualTo("0\tx\n");
  }

  @Test
  void aProcessThatHoldsTheFilterFindsWhatACommandRemovedMissing() throws Exception {
    reserve("shared");
    try (SlotBloom bloom = SlotBloom.on(schema.dataSource());
        BloomFilter<String> shared = bloom.open("shared", KeyType.text())) {
      shared.add("a");
      assertThat(shared.mightContain("a")).isTrue();
      slotbloom.run("remove shared a").succeeded();
      assertThat(shared.mightContain("a")).isFalse();
      assertThat(shared.add("a")).isTrue();
      assertThat(slotbloom.out("remove shared a")).isEqualTo("1\ta\n");
    }
  }

  /** Each removal lets the line through once more, and nothing else does. */
  @Test
  void dedupPrintsALineOnceForEachTimeThatOthersRemoveItsKey() throws Exception {
    String lines = numbers(0, 4_000);
    slotbloom.run("reserve race --capacity 100_000 --fpp 1e-9 --removable=100").succeeded();
    List<CompletableFuture<Result>> runs =
        Stream.of("dedup race", "dedup race", "remove race")
            .map(line -> slotbloom.startOn(lines + lines + lines, line))
            .toList();
    List<String> printed = new ArrayList<>();
    for (CompletableFuture<Result> run : runs) {
      printed.add(run.get(10, TimeUnit.MINUTES).succeeded().out());
    }

    long passed = printed.get(0).lines().count() + printed.get(1).lines().count();
    assertThat(passed - yes(printed.get(2))).isEqualTo(yes(slotbloom.outOn(lines, "exists race")));
    assertThat(passed).isGreaterThanOrEqualTo(4_000);
  }

  @Test
  void infoAndTheReportTellOfRemovedKeys() throws Exception {
    reserve("told --retain-hashes");
    slotbloom.runOn(numbers(0, 300), "add told").succeeded();
    slotbloom.runOn(numbers(0, 100), "remove told --fold").succeeded();

    assertThat(slotbloom.out("info told"))
        .containsPattern("\n  Keys +200; with removed keys 300 of 100,000 \\(0\\.3 %\\)\n")
        .containsPattern("\n  Removed +100 of at most 100,000 keys; 4.0 KiB of memory");
    assertThat(json("info told")).containsEntry("keysAdded", 200).containsEntry("keysRemoved", 100);
    assertThat(slotbloom.out("report told --html -")).contains("100 of at most 100,000\u00a0keys");
    try (SlotBloom bloom = SlotBloom.on(schema.dataSource());
        BloomFilter<String> told = bloom.open("told", KeyType.text())) {
      assertThat(told.statistics().mirror().orElseThrow().bytes())
          .isEqualTo(bloom.info("told").mirrorBytes());
    }
  }

  @Test
  void whatReserveWouldMakeIsPrinted() throws Exception {
    String printed = slotbloom.out("reserve made --capacity 1000 --removable --print-sql");

    assertThat(printed).contains("`" + sql.slots("made", 1) + "`", "`" + sql.removed("made") + "`");
    sql.runScript(printed);
    InProcess limited = withoutDdl();
    limited.run("reserve made --capacity 1000 --removable").succeeded();
    limited.run("add made a").succeeded();
    assertThat(limited.out("remove made a")).isEqualTo("1\ta\n");
    assertThat(limited.run("reserve other --capacity 1000 --print-sql").out())
        .doesNotContain("removed");
  }

  @Test
  void thePercentageIsStored() throws Exception {
    // The next argument is a name, not a percentage.
    slotbloom.run("reserve --removable a --capacity 1_000_000").succeeded();
    slotbloom.run("reserve --removable=100 b --capacity 1_000_000").succeeded();
    assertThat(sql.texts("SELECT removable_percent FROM bloom_filter ORDER BY name"))
        .containsExactly("10", "100");
  }

  @Test
  void dedupMakesSuchAFilterToo() throws Exception {
    String dedup = "dedup lines --capacity 1000 --removable";
    slotbloom.runOn("a\nb\n", dedup).succeeded();
    slotbloom.run("remove lines a").succeeded();
    assertThat(slotbloom.outOn("a\nb\n", dedup)).isEqualTo("a\n");
    assertThat(slotbloom.outOn("a\n", "dedup lines --capacity 1000")).isEmpty();

    slotbloom.runOn("a\n", "dedup fast --capacity 1000").succeeded();
    assertThat(slotbloom.errorOn(1, "a\n", "dedup fast --removable"))
        .contains("Filter fast was created without it, and --removable was given");
  }
}
