package io.github.slotbloom.cli;

import static io.github.slotbloom.cli.Lines.numbers;
import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.slotbloom.cli.InProcess.Begun;
import io.github.slotbloom.cli.Slotbloom.Result;
import io.github.slotbloom.cli.Slotbloom.Running;
import io.github.slotbloom.testing.DatabaseContract;
import io.github.slotbloom.testing.KnownLogs;
import io.github.slotbloom.testing.PossibleLog;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * {@code dedup} prints each line once, whatever the lines and their ends are, and however it is
 * ended.
 */
@DatabaseContract(migrated = true, onOne = true)
@Tag("e2e")
class DedupCommandIT extends OnSchema {

  @Test
  void dedupPrintsEachLineOnceInOrder() throws Exception {
    String input = numbers(0, 6_000) + numbers(3_000, 9_000);

    Result first = slotbloom.runOn(input, "dedup words --capacity 50_000").succeeded();
    Result second = slotbloom.runOn(input, "dedup words").succeeded();

    assertThat(first.out()).isEqualTo(numbers(0, 9_000));
    assertThat(first.err()).contains("12,000 lines read, 9,000 printed, 3,000 seen before");
    assertThat(second.bytes()).isEmpty();
    assertThat(second.err()).contains("12,000 lines read, 0 printed, 12,000 seen before");
    slotbloom.run("reserve once --capacity 1000").succeeded();
    assertThat(json("info words"))
        .containsEntry("backlog", 0)
        .containsEntry("falsePositiveRate", 1e-6);
    assertThat(json("info once")).containsEntry("falsePositiveRate", 0.001);
  }

  @Test
  void dedupPrintsBytesAsTheyCameAndEndsTheLastLine() throws Exception {
    byte[] input =
        "caf\u00e9\r\n\u00ff\u00fe\n\n\0\ncaf\u00e9\r\n\u00fe\u00ff\n\nno feed"
            .getBytes(ISO_8859_1);

    Result result = slotbloom.runOn(input, "dedup raw --capacity 1000").succeeded();

    assertThat(result.bytes())
        .isEqualTo("caf\u00e9\r\n\u00ff\u00fe\n\n\0\n\u00fe\u00ff\nno feed\n".getBytes(ISO_8859_1));
  }

  @Test
  void aFilterThatMemoryCannotHoldIsAskedInTheDatabase() throws Exception {
    Result first = slotbloom.runOn("a\nb\na\n", "dedup vast --capacity 9_000_000_000");
    assertThat(first.succeeded().out()).isEqualTo("a\nb\n");
    assertThat(first.err()).contains("Filter vast is too large for the memory of this process");
    String many = numbers(1, 20_001);
    slotbloom.runOn(many, "add vast").succeeded();
    Result exists = slotbloom.runOn(many, "exists vast").succeeded();
    assertThat(exists.out()).hasLineCount(20_000).doesNotContain("0\t");
    assertThat(exists.err()).contains("Filter vast is too large for the memory of this process");
  }

  @Test
  void dedupHintsAtCarriageReturns() throws Exception {
    slotbloom.runOn("a\n", "dedup dos --capacity 1e3").succeeded();
    assertThat(slotbloom.runOn("a\r\nb\r\nc\n", "dedup dos").succeeded().err())
        .contains("Most lines end with a carriage return");
    assertThat(slotbloom.runOn("d\r\ne\n", "dedup dos").succeeded().err())
        .doesNotContain("carriage");
  }

  @Test
  void dedupByAFieldKeepsLinesWithoutIt() throws Exception {
    Result result =
        slotbloom.runOn(
            "a k1 x\nshort\nb  k1\n\tc k2\nshort\n\n", "dedup log --key-field 2 --capacity 1000");

    assertThat(result.succeeded().out()).isEqualTo("a k1 x\nshort\n\tc k2\nshort\n\n");
    assertThat(result.err()).contains("6 lines read, 5 printed, 1 seen before, 3 without a key");
  }

  @ParameterizedTest
  @PossibleLog(KnownLogs.FOLDING_FAILED)
  @CsvSource(
      delimiter = '|',
      value = {
        "false|Filter brief was dropped or renamed while this command ran.",
        "true|standard input, line 3: Filter brief is no longer in the database"
      })
  void dedupSaysWhereItWasWhenItsFilterIsDropped(boolean moreLines, String message)
      throws Exception {
    Begun dedup = slotbloom.begin("dedup brief --capacity 1000");
    dedup.typeUntil("a\nb\n", "a\nb\n");
    slotbloom.run("drop brief --yes").succeeded();

    Result result = dedup.end(moreLines ? "c\n" : "").ended(1);
    assertThat(result.out()).isEqualTo("a\nb\n");
    assertThat(result.err()).contains(message).doesNotContain("Nothing is lost");
    assertThat(result.err())
        .contains(moreLines ? "neither recorded nor printed" : "2 lines read, 2 printed");
  }

  /** Those that are there are printed before, while the input is open. */
  @ParameterizedTest
  @CsvSource({"HUP, 129", "INT, 130", "TERM, 143"})
  void dedupFinishesItsLinesWhenASignalEndsIt(String signal, int code) throws Exception {
    // Whoever starts the tests may ignore signals, and so would their children.
    Running running =
        launcher.startInteractiveShell(
            "exec env --default-signal \"$SLOTBLOOM\" dedup tail --capacity 1000");
    running.type("a\nb\na\nbegun");
    running.awaitOutput("a\nb\n");

    launcher.shell("kill -" + signal + " " + running.process().pid()).succeeded();

    assertThat(running.await().ended(code).err())
        .contains("3 lines read, 2 printed")
        .hasLineCount(1);
  }

  @Test
  void severalDedupsPrintNoLineTwice() throws Exception {
    List<CompletableFuture<Result>> runs = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      String overlapping = numbers(i * 3_000, i * 3_000 + 6_000);
      runs.add(slotbloom.startOn(overlapping, "dedup words --capacity 100_000"));
    }

    List<String> printed = new ArrayList<>();
    for (CompletableFuture<Result> run : runs) {
      printed.addAll(run.get(10, TimeUnit.MINUTES).succeeded().out().lines().toList());
    }

    // At a rate of 1e-6, more than two false positives among these lines are hardly possible.
    assertThat(printed).doesNotHaveDuplicates().hasSizeBetween(11_998, 12_000);
  }

  @Test
  void dedupEndsAtALineThatIsNoKeyAfterPrintingTheLinesBefore() throws Exception {
    Path input = Files.writeString(directory.resolve("ids"), "1\n2\n1\nthree\n4\n");

    Result result = slotbloom.run("dedup ids --key-type long --capacity 1000 " + input);

    assertThat(result.ended(1).out()).isEqualTo("1\n2\n");
    assertThat(result.err()).contains(input + ", line 4: 'three'").hasLineCount(1);
    assertThat(slotbloom.runOn("3\n1\n5", "dedup ids --key-type long - " + input).ended(1).out())
        .isEqualTo("3\n5\n");
    assertThat(slotbloom.run("exists ids --key-type long 4").ended(3).out()).isEqualTo("0\t4\n");
  }

  @Test
  void linesMayEndWithNul() throws Exception {
    assertThat(slotbloom.outOn("a\nb\0c\0a\nb\0d", "dedup n -0 --capacity 1000"))
        .isEqualTo("a\nb\0c\0d");
    assertThat(slotbloom.outOn("c\0x\0", "exists n --null")).isEqualTo("1\tc\0" + "0\tx\0");
  }

  @Test
  void dedupKeepsTheParametersOfAnExistingFilter() throws Exception {
    slotbloom.run("reserve w --capacity 1000 --fpp 0.01 --layout standard").succeeded();

    slotbloom.runOn("a\n", "dedup w").succeeded();
    slotbloom.runOn("a\n", "dedup w --capacity 1000 --fpp 0.01").succeeded();
    slotbloom.runOn("a\n", "dedup w --capacity 1000").succeeded();
    Result other = slotbloom.runOn("b\n", "dedup w --capacity 2000").failed(1);

    assertThat(other.err()).contains("w", "1,000", "2000");
    assertThat(slotbloom.run("exists w b").out()).isEqualTo("0\tb\n");
  }
}
