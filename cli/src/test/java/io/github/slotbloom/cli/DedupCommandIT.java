package io.github.slotbloom.cli;

import static io.github.slotbloom.cli.Lines.numbers;
import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.slotbloom.cli.Slotbloom.Result;
import io.github.slotbloom.cli.Slotbloom.Running;
import io.github.slotbloom.testing.DatabaseContract;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
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
    String input = numbers(0, 20_000) + numbers(10_000, 30_000);

    Result first = slotbloom.runOn(input, "dedup", "words", "--capacity", "50_000").succeeded();
    Result second = slotbloom.runOn(input, "dedup", "words").succeeded();

    assertThat(first.out()).isEqualTo(numbers(0, 30_000));
    assertThat(first.err()).contains("40,000 lines read, 30,000 printed, 10,000 seen before");
    assertThat(second.bytes()).isEmpty();
    assertThat(second.err()).contains("40,000 lines read, 0 printed, 40,000 seen before");
    assertThat(slotbloom.run("info", "words", "--json").out()).contains("\"backlog\":0");
  }

  @Test
  void dedupPrintsBytesAsTheyCameAndEndsTheLastLine() throws Exception {
    byte[] input =
        "caf\u00e9\r\n\u00ff\u00fe\n\n\0\ncaf\u00e9\r\n\u00fe\u00ff\n\nno feed"
            .getBytes(ISO_8859_1);

    Result result = slotbloom.runOn(input, "dedup", "raw", "--capacity", "1000").succeeded();

    assertThat(result.bytes())
        .isEqualTo("caf\u00e9\r\n\u00ff\u00fe\n\n\0\n\u00fe\u00ff\nno feed\n".getBytes(ISO_8859_1));
  }

  @Test
  void aFilterThatMemoryCannotHoldIsAskedInTheDatabase() throws Exception {
    Result first = slotbloom.runOn("a\nb\na\n", "dedup", "vast", "--capacity", "9_000_000_000");
    assertThat(first.succeeded().out()).isEqualTo("a\nb\n");
    assertThat(first.err()).contains("Filter vast is too large for the memory of this process");
    String many = numbers(1, 20_001);
    slotbloom.runOn(many, "add", "vast").succeeded();
    Result exists = slotbloom.runOn(many, "exists", "vast").succeeded();
    assertThat(exists.out()).hasLineCount(20_000).doesNotContain("0\t");
    assertThat(exists.err()).contains("Filter vast is too large for the memory of this process");
  }

  @Test
  void dedupHintsAtCarriageReturns() throws Exception {
    slotbloom.runOn("a\n", "dedup", "dos", "--capacity", "1e3").succeeded();
    assertThat(slotbloom.runOn("a\r\nb\r\nc\n", "dedup", "dos").succeeded().err())
        .contains("Most lines end with a carriage return");
    assertThat(slotbloom.runOn("d\r\ne\n", "dedup", "dos").succeeded().err())
        .doesNotContain("carriage");
  }

  @Test
  void dedupReadsFilesAndStandardInput() throws Exception {
    Path a = Files.writeString(directory.resolve("a"), "1\n2");
    Path b = Files.writeString(directory.resolve("b"), "2\n4\n");

    Result result =
        slotbloom.runOn(
            "3\n1\n", "dedup", "x", "--capacity", "1000", a.toString(), "-", b.toString());

    assertThat(result.succeeded().out()).isEqualTo("1\n2\n3\n4\n");
  }

  @Test
  void dedupByAFieldKeepsLinesWithoutIt() throws Exception {
    Result result =
        slotbloom.runOn(
            "a k1 x\nshort\nb  k1\n\tc k2\nshort\n\n",
            "dedup",
            "log",
            "--key-field",
            "2",
            "--capacity",
            "1000");

    assertThat(result.succeeded().out()).isEqualTo("a k1 x\nshort\n\tc k2\nshort\n\n");
    assertThat(result.err()).contains("6 lines read, 5 printed, 1 seen before, 3 without a key");
  }

  @Test
  void dedupPrintsALineWhileTheInputIsStillOpen() throws Exception {
    Running running = launcher.startInteractive("dedup", "tail", "--capacity", "1000");

    running.type("a\nb\na\nbegun");
    running.awaitOutput("a\nb\n");
    running.type(" and done\n");
    running.process().getOutputStream().close();

    assertThat(running.await().succeeded().out()).isEqualTo("a\nb\nbegun and done\n");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "false|Filter brief was dropped or renamed while this command ran.",
        "true|standard input, line 3: Filter brief is not in the database any more"
      })
  void dedupSaysWhereItWasWhenItsFilterIsDropped(boolean moreLines, String message)
      throws Exception {
    Running running = launcher.startInteractive("dedup", "brief", "--capacity", "1000");
    running.type("a\nb\n");
    running.awaitOutput("a\nb\n");
    slotbloom.run("drop", "brief", "--yes").succeeded();
    if (moreLines) {
      running.type("c\n");
    }
    running.process().getOutputStream().close();

    Result result = running.await().ended(1);
    assertThat(result.out()).isEqualTo("a\nb\n");
    assertThat(result.err()).contains(message).doesNotContain("Nothing is lost");
    assertThat(result.err())
        .contains(moreLines ? "neither recorded nor printed" : "2 lines read, 2 printed");
  }

  @ParameterizedTest
  @CsvSource({"HUP, 129", "INT, 130", "TERM, 143"})
  void dedupFinishesItsLinesWhenASignalEndsIt(String signal, int code) throws Exception {
    // Whoever starts the tests may ignore signals, and so would their children.
    Running running =
        launcher.startInteractiveShell(
            "exec env --default-signal \"$SLOTBLOOM\" dedup tail --capacity 1000");
    running.type("a\nb\n");
    running.awaitOutput("a\nb\n");

    String number = Long.toString(running.process().pid());
    assertThat(new ProcessBuilder("kill", "-" + signal, number).start().waitFor()).isZero();
    Result result = running.await();

    assertThat(result.exitCode()).isEqualTo(code);
    assertThat(result.err()).contains("2 lines read, 2 printed").hasLineCount(1);
  }

  @Test
  void severalDedupsPrintNoLineTwice() throws Exception {
    List<CompletableFuture<Result>> runs = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      String overlapping = numbers(i * 10_000, i * 10_000 + 20_000);
      runs.add(
          CompletableFuture.supplyAsync(
              () -> slotbloom.runOn(overlapping, "dedup", "words", "--capacity", "100_000"),
              task -> new Thread(task, "a dedup").start()));
    }

    List<String> printed = new ArrayList<>();
    for (CompletableFuture<Result> run : runs) {
      printed.addAll(run.get(10, TimeUnit.MINUTES).succeeded().out().lines().toList());
    }

    Set<String> distinct = new HashSet<>(printed);
    assertThat(printed).hasSameSizeAs(distinct);
    // At a rate of 1e-6, more than two false positives among 50,000 lines are hardly possible.
    assertThat(distinct.size()).isBetween(49_998, 50_000);
  }

  @Test
  void dedupEndsAtALineThatIsNoKeyAfterPrintingTheLinesBefore() throws Exception {
    Path input = Files.writeString(directory.resolve("ids"), "1\n2\n1\nthree\n4\n");

    Result result =
        slotbloom.run("dedup", "ids", "--key-type", "long", "--capacity", "1000", input.toString());

    assertThat(result.ended(1).out()).isEqualTo("1\n2\n");
    assertThat(result.err()).contains(input + ", line 4: 'three'").hasLineCount(1);
    assertThat(slotbloom.run("exists", "ids", "--key-type", "long", "4").ended(3).out())
        .isEqualTo("0\t4\n");
  }

  @Test
  void linesMayEndWithNul() throws Exception {
    assertThat(
            slotbloom
                .runOn("a\nb\0c\0a\nb\0d", "dedup", "n", "-0", "--capacity", "1000")
                .succeeded()
                .out())
        .isEqualTo("a\nb\0c\0d");
    assertThat(slotbloom.runOn("c\0x\0", "exists", "n", "--null").succeeded().out())
        .isEqualTo("1\tc\0" + "0\tx\0");
  }

  @Test
  void fieldsMayBeSeparatedByAnything() throws Exception {
    assertThat(
            slotbloom
                .runOn(
                    "1,ann,x\n2,ann,y\n3,,z\n4\n5,,z\n6,bob\n",
                    "dedup",
                    "n",
                    "--key-field",
                    "2",
                    "--delimiter",
                    ",",
                    "--capacity",
                    "1000")
                .succeeded()
                .out())
        .isEqualTo("1,ann,x\n3,,z\n4\n5,,z\n6,bob\n");
  }

  @Test
  void dedupReservesAFilterThatErrsOnceInAMillion() throws Exception {
    slotbloom.runOn("a\n", "dedup", "x", "--capacity", "1000").succeeded();
    slotbloom.run("reserve", "y", "--capacity", "1000").succeeded();

    assertThat(json("info", "x")).containsEntry("falsePositiveRate", 1e-6);
    assertThat(json("info", "y")).containsEntry("falsePositiveRate", 0.001);
  }

  @Test
  void dedupTellsAnInterruptByItsExitCode() throws Exception {
    // Who starts the tests in the background makes their children ignore the signal.
    Running running =
        launcher.startInteractiveShell(
            "exec env --default-signal=INT \"$SLOTBLOOM\" dedup tail --capacity 1000");
    running.type("a\n");
    running.awaitOutput("a\n");

    launcher.shell("kill -INT " + running.process().pid()).succeeded();

    assertThat(running.await().ended(130).err())
        .contains("1 lines read, 1 printed")
        .hasLineCount(1);
  }

  @Test
  void dedupKeepsTheParametersOfAnExistingFilter() throws Exception {
    slotbloom
        .run("reserve", "w", "--capacity", "1000", "--fpp", "0.01", "--layout", "standard")
        .succeeded();

    slotbloom.runOn("a\n", "dedup", "w").succeeded();
    slotbloom.runOn("a\n", "dedup", "w", "--capacity", "1000", "--fpp", "0.01").succeeded();
    slotbloom.runOn("a\n", "dedup", "w", "--capacity", "1000").succeeded();
    Result other = slotbloom.runOn("b\n", "dedup", "w", "--capacity", "2000").failed(1);

    assertThat(other.err()).contains("w", "1,000", "2000");
    assertThat(slotbloom.run("exists", "w", "b").out()).isEqualTo("0\tb\n");
  }
}
