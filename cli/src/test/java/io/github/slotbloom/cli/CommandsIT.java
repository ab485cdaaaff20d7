package io.github.slotbloom.cli;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import com.fasterxml.jackson.jr.ob.JSON;
import io.github.slotbloom.BloomFilter;
import io.github.slotbloom.SlotBloom;
import io.github.slotbloom.cli.Slotbloom.Result;
import io.github.slotbloom.cli.Slotbloom.Running;
import io.github.slotbloom.core.KeyType;
import io.github.slotbloom.testing.DatabaseContract;
import io.github.slotbloom.testing.ShortLease;
import io.github.slotbloom.testing.Sql;
import io.github.slotbloom.testing.TestAccount;
import io.github.slotbloom.testing.TestSchema;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The commands as a user runs them, on each database. */
@DatabaseContract(onOne = true)
@Tag("e2e")
class CommandsIT {

  @TempDir Path directory;

  private TestSchema schema;
  private InProcess slotbloom;

  /** For what only a process of its own can show. */
  private Slotbloom launcher;

  @BeforeEach
  void pointAtTheSchema(TestSchema schema) {
    this.schema = schema;
    slotbloom = new InProcess(directory).on(schema, schema.owner());
    launcher = new Slotbloom(directory).on(schema, schema.owner());
  }

  @Test
  void keysAreNewOnceAndSeenEverAfter() throws Exception {
    slotbloom.run("reserve", "urls", "--capacity", "10_000", "--fpp", "1e-6").succeeded();

    assertThat(slotbloom.run("exists", "urls", "a").ended(3).out()).isEqualTo("0\ta\n");
    assertThat(slotbloom.run("add", "urls", "a", "b", "a").succeeded().out())
        .isEqualTo("1\ta\n1\tb\n0\ta\n");
    assertThat(slotbloom.run("exists", "urls", "b", "c").ended(3).out()).isEqualTo("1\tb\n0\tc\n");
    assertThat(slotbloom.runOn("c\n\nb\nd", "add", "urls").succeeded().out())
        .isEqualTo("1\tc\n1\t\n0\tb\n1\td\n");
    assertThat(slotbloom.runOn("d\r\nd\n", "exists", "urls").succeeded().out())
        .isEqualTo("0\td\r\n1\td\n");
  }

  @Test
  void oneProcessKnowsWhatAnotherAdded() throws Exception {
    launcher.run("reserve", "urls", "--capacity", "10_000", "--fpp", "1e-6").succeeded();
    assertThat(launcher.runOn("a\nb\na\n", "add", "urls").succeeded().out())
        .isEqualTo("1\ta\n1\tb\n0\ta\n");
    assertThat(launcher.run("exists", "urls", "b", "c").ended(3).out()).isEqualTo("1\tb\n0\tc\n");
    assertThat(launcher.run("info", "none").failed(1).err()).contains("none");
  }

  @Test
  void theLifeOfAFilter() throws Exception {
    slotbloom.run("migrate").succeeded();
    slotbloom.run("migrate").succeeded();
    ShortLease.forAll(new Sql(schema.dataSource()));
    assertThat(slotbloom.run("list").succeeded().out()).isEmpty();
    slotbloom.run("reserve", "b", "--capacity", "1000", "--layout", "standard").succeeded();
    slotbloom.run("reserve", "a", "--capacity", "1000", "--fixed").succeeded();
    assertThat(slotbloom.run("list").succeeded().out()).isEqualTo("a\nb\n");

    slotbloom.run("add", "b", "x").succeeded();
    slotbloom.run("fold", "b").succeeded();
    assertThat(slotbloom.run("info", "b").succeeded().out())
        .startsWith("Filter b\n")
        .containsPattern("\n  Keys +1 of 1,000 \\(0\\.1 %\\)\n")
        .containsPattern("\n  To be folded +nothing\n")
        .containsPattern("\n  Layout +standard\n");

    slotbloom.run("clear", "b", "--yes").succeeded();
    assertThat(slotbloom.run("exists", "b", "x").ended(3).out()).isEqualTo("0\tx\n");
    slotbloom.run("drop", "b", "-y").succeeded();
    assertThat(slotbloom.run("list").succeeded().out()).isEqualTo("a\n");
  }

  @Test
  void infoAgreesWithTheTable() throws Exception {
    slotbloom.runOn(numbers(0, 5_000), "dedup", "words", "--capacity", "10000").succeeded();

    String json = slotbloom.run("info", "words", "--json").succeeded().out();

    assertThat(json)
        .contains("\"name\":\"words\"", "\"keysAdded\":5000", "\"keyType\":\"text\"")
        .contains("\"bitsSet\":" + bitsSetInTable("bloom_bits_words_v1") + ",");
  }

  @Test
  void textKeysAreThoseOfTheLibrary() throws Exception {
    slotbloom.run("reserve", "names", "--capacity", "1000").succeeded();
    slotbloom.run("add", "names", "Zoë", "北京").succeeded();

    try (SlotBloom bloom = SlotBloom.on(schema.dataSource());
        BloomFilter<String> names = bloom.open("names", KeyType.text())) {
      assertThat(names.mightContain("Zoë")).isTrue();
      assertThat(names.mightContain("北京")).isTrue();
      assertThat(names.mightContain("南京")).isFalse();
      names.add("München");
    }

    assertThat(slotbloom.run("exists", "names", "München").out()).isEqualTo("1\tMünchen\n");
  }

  @Test
  void argumentsSurviveAnEmptyEnvironment() throws Exception {
    slotbloom.run("reserve", "names", "--capacity", "1000").succeeded();

    Result result =
        launcher.shell(
            "env -i PATH=\"$PATH\" JAVA_HOME=\"$JAVA_HOME\" SLOTBLOOM_URL=\"$SLOTBLOOM_URL\""
                + " SLOTBLOOM_USER=\"$SLOTBLOOM_USER\""
                + " SLOTBLOOM_PASSWORD=\"$SLOTBLOOM_PASSWORD\""
                + " \"$SLOTBLOOM\" add names 北京 南京");

    assertThat(result.succeeded().out()).isEqualTo("1\t北京\n1\t南京\n");
  }

  @Test
  void keysMayLookLikeOptionsOrFiles() throws Exception {
    slotbloom.run("reserve", "urls", "--capacity", "1000", "--fpp", "1e-6").succeeded();

    assertThat(slotbloom.run("add", "urls", "--", "-x", "--url", "@y", "").succeeded().out())
        .isEqualTo("1\t-x\n1\t--url\n1\t@y\n1\t\n");
    assertThat(slotbloom.run("add", "urls", "@y").succeeded().out()).isEqualTo("0\t@y\n");
  }

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
  void dedupPassesBytesThroughAsTheyCameAndEndsTheLastLine() throws Exception {
    byte[] input =
        "caf\u00e9\r\n\u00ff\u00fe\n\n\0\ncaf\u00e9\r\n\u00fe\u00ff\n\nno feed"
            .getBytes(ISO_8859_1);

    Result result = slotbloom.runOn(input, "dedup", "raw", "--capacity", "1000").succeeded();

    assertThat(result.bytes())
        .isEqualTo("caf\u00e9\r\n\u00ff\u00fe\n\n\0\n\u00fe\u00ff\nno feed\n".getBytes(ISO_8859_1));
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
    Awaitility.await()
        .atMost(Duration.ofSeconds(60))
        .until(() -> Files.readString(running.out()).equals("a\nb\n"));
    running.type(" and done\n");
    running.process().getOutputStream().close();

    assertThat(running.await().succeeded().out()).isEqualTo("a\nb\nbegun and done\n");
  }

  @ParameterizedTest
  @CsvSource({"HUP, 129", "INT, 130", "TERM, 143"})
  void dedupThatIsToldToEndFinishesWhatItBegan(String signal, int code) throws Exception {
    // Whoever starts the tests may ignore signals, and so would their children.
    Running running =
        launcher.startInteractiveShell(
            "exec env --default-signal \"$SLOTBLOOM\" dedup tail --capacity 1000");
    running.type("a\nb\n");
    Awaitility.await()
        .atMost(Duration.ofSeconds(60))
        .until(() -> Files.readString(running.out()).equals("a\nb\n"));

    String number = Long.toString(running.process().pid());
    assertThat(new ProcessBuilder("kill", "-" + signal, number).start().waitFor()).isZero();
    Result result = running.await();

    assertThat(result.exitCode()).isEqualTo(code);
    assertThat(result.err()).contains("2 lines read, 2 printed").hasLineCount(1);
  }

  @Test
  void severalDedupsAtOncePrintNoLineTwice() throws Exception {
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
      printed.addAll(run.get(60, TimeUnit.SECONDS).succeeded().out().lines().toList());
    }

    Set<String> distinct = new HashSet<>(printed);
    assertThat(printed).hasSameSizeAs(distinct);
    // At a rate of 1e-6, more than two false positives among 50,000 lines are hardly possible.
    assertThat(distinct.size()).isBetween(49_998, 50_000);
  }

  @Test
  void existsTellsByItsExitCode() throws Exception {
    slotbloom.run("reserve", "n", "--capacity", "1000", "--fpp", "1e-6").succeeded();
    slotbloom.run("add", "n", "a", "b").succeeded();

    slotbloom.run("exists", "n", "a", "b").ended(0);
    slotbloom.run("exists", "n", "a", "z").ended(3);
    slotbloom.runOn("a\nz\n", "exists", "n").ended(0);
    slotbloom.runOn("a\nz\n", "exists", "n", "--exit-code").ended(3);
    slotbloom.runOn("a\nb\n", "exists", "n", "--exit-code").ended(0);
  }

  @Test
  void aHyphenIsStandardInputUnlessItIsAKey() throws Exception {
    slotbloom.run("reserve", "n", "--capacity", "1000", "--fpp", "1e-6").succeeded();

    assertThat(slotbloom.runOn("a\nb\n", "add", "n", "-").succeeded().out())
        .isEqualTo("1\ta\n1\tb\n");
    assertThat(slotbloom.runOn("x\n", "add", "n", "--", "-").succeeded().out()).isEqualTo("1\t-\n");
    assertThat(slotbloom.runOn("x\n", "exists", "n", "-", "a").ended(0).out())
        .isEqualTo("1\t-\n1\ta\n");
  }

  @Test
  void moreKeysThanSlotsAreReadForMakeNoDifference() throws Exception {
    slotbloom.run("reserve", "many", "--capacity", "100_000", "--fpp", "1e-6").succeeded();

    String added = slotbloom.runOn(numbers(0, 25_000), "add", "many").succeeded().out();
    String asked = slotbloom.runOn(numbers(5_000, 45_000), "exists", "many").succeeded().out();

    assertThat(added.lines().filter(line -> line.startsWith("1\t")).count())
        .isBetween(24_998L, 25_000L);
    assertThat(asked.lines().limit(20_000)).allMatch(line -> line.startsWith("1\t"));
    assertThat(asked.lines().skip(20_000).filter(line -> line.startsWith("1\t")).count())
        .isLessThan(3);
  }

  @Test
  void keysThatDidNotArriveAreRefused() throws Exception {
    Result result = slotbloom.run("add", "names", "a\uFFFDb").failed(2);

    assertThat(result.err()).contains("U+FFFD", "standard input");
  }

  @Test
  void numbersAndBytesAreKeysOfTheirOwnKind() throws Exception {
    slotbloom.run("reserve", "ids", "--capacity", "1000", "--key-type", "long").succeeded();
    slotbloom.run("reserve", "raw", "--capacity", "1000", "--key-type", "hex").succeeded();

    assertThat(
            slotbloom
                .run("add", "ids", "--key-type", "long", "--", "42", "-7", "042")
                .succeeded()
                .out())
        .isEqualTo("1\t42\n1\t-7\n0\t042\n");
    assertThat(slotbloom.run("add", "raw", "--key-type", "hex", "00ff", "00FF").succeeded().out())
        .isEqualTo("1\t00ff\n0\t00FF\n");
    try (SlotBloom bloom = SlotBloom.on(schema.dataSource());
        BloomFilter<Long> ids = bloom.open("ids", KeyType.longs());
        BloomFilter<byte[]> raw = bloom.open("raw", KeyType.bytes())) {
      assertThat(ids.mightContain(-7L)).isTrue();
      assertThat(raw.mightContain(new byte[] {0, (byte) 0xff})).isTrue();
    }
    assertThat(slotbloom.run("add", "ids", "42").failed(2).err())
        .contains("ids has keys of the type long", "--key-type long");
    assertThat(slotbloom.run("exists", "raw", "--key-type", "long", "42").failed(2).err())
        .contains("--key-type hex");
    assertThat(slotbloom.runOn("1\n", "dedup", "ids").failed(2).err()).contains("--key-type long");
    assertThat(slotbloom.run("add", "ids", "--key-type", "long", "4x2").failed(2).err())
        .contains("'4x2'");
  }

  @Test
  void aLineThatIsNoKeyEndsDedupAfterWhatCameBefore() throws Exception {
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
    assertThat(other).contains("for 32000 keys", "--capacity 99999");
  }

  @Test
  void oneThatDegradesTakesMoreAndSaysSo() throws Exception {
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
  void whatItDoesWhenItIsFullIsStored(String name, String option, String stored) throws Exception {
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
  void ofKeysAsArgumentsThoseAreAddedThatFit() throws Exception {
    slotbloom
        .run("reserve", "three", "--capacity", "3", "--fpp", "1e-9", "--on-full", "refuse")
        .succeeded();

    Result result = slotbloom.run("add", "three", "a", "b", "a", "c", "d", "e").ended(4);

    assertThat(result.out()).isEqualTo("1\ta\n1\tb\n0\ta\n1\tc\n");
    assertThat(result.err()).contains("key 5: filter three is full, with 3 of 3 keys");
  }

  @Test
  void aFilterThatSomebodyClearsIsWaitedForNoLongerThanTheTimeout() throws Exception {
    slotbloom.run("reserve", "x", "--capacity", "1000").succeeded();
    ShortLease.of("x", new Sql(schema.dataSource()));
    execute("UPDATE bloom_filter SET state = 'CLEARING';\n");

    assertThat(slotbloom.runOn("a\n", "dedup", "x", "--timeout", "1").ended(5).err())
        .contains("Filter x is being cleared", "clear it again to finish");

    slotbloom.run("clear", "x", "--yes").succeeded();
    assertThat(slotbloom.runOn("a\n", "dedup", "x").succeeded().out()).isEqualTo("a\n");
  }

  @Test
  void dedupTakesOneLineInAMillionToBeSeenByMistake() throws Exception {
    slotbloom.runOn("a\n", "dedup", "x", "--capacity", "1000").succeeded();
    slotbloom.run("reserve", "y", "--capacity", "1000").succeeded();

    assertThat(json("info", "x")).containsEntry("falsePositiveRate", 1e-6);
    assertThat(json("info", "y")).containsEntry("falsePositiveRate", 0.001);
  }

  @Test
  void reservingAgainIsHarmlessIfThatIsWanted() throws Exception {
    String[] reserve = {"reserve", "x", "--capacity", "1000", "--if-not-exists"};
    slotbloom.run(reserve).succeeded();
    slotbloom.run("add", "x", "k").succeeded();

    slotbloom.run(reserve).succeeded();
    slotbloom.run("exists", "x", "k").ended(0);
    assertThat(
            slotbloom.run("reserve", "x", "--capacity", "2000", "--if-not-exists").failed(1).err())
        .contains("capacity is 1000, not 2000");
  }

  @Test
  void whatCannotBeUndoneNeedsAYes() throws Exception {
    slotbloom.run("reserve", "x", "--capacity", "1000").succeeded();
    slotbloom.run("add", "x", "k").succeeded();

    assertThat(slotbloom.runOn("y\n", "clear", "x").failed(2).err()).contains("--yes");
    assertThat(slotbloom.runOn("y\n", "drop", "x").failed(2).err()).contains("--yes");
    slotbloom.run("exists", "x", "k").ended(0);
  }

  @Test
  void onATerminalItIsAsked() throws Exception {
    assumeThat(launcher.shell("command -v script").exitCode()).isZero();
    slotbloom.run("reserve", "x", "--capacity", "1000").succeeded();

    Result no = launcher.shell("echo n | script -qec '\"$SLOTBLOOM\" drop x' /dev/null");
    assertThat(no.out())
        .contains("Remove the filter x and its tables? [y/N]", "Nothing was changed");
    assertThat(slotbloom.run("list").out()).isEqualTo("x\n");

    Result yes = launcher.shell("echo y | script -qec '\"$SLOTBLOOM\" drop x' /dev/null");
    assertThat(yes.ended(0).out()).contains("[y/N]");
    assertThat(slotbloom.run("list").out()).isEmpty();
  }

  @Test
  void aTerminalAsInputIsPointedOut() throws Exception {
    assumeThat(launcher.shell("command -v script").exitCode()).isZero();

    Result result =
        launcher.shell(
            "printf 'a\\n\\004' | script -qec '\"$SLOTBLOOM\" dedup x --capacity 10' /dev/null");

    assertThat(result.ended(0).out())
        .contains("Reading lines from the terminal; Ctrl-D ends them.");
  }

  @Test
  void thePasswordMayComeFromAFileOrTheTerminal() throws Exception {
    Path file =
        Files.writeString(directory.resolve("password"), schema.owner().password() + "\n\n");
    InProcess without = slotbloom.with("SLOTBLOOM_PASSWORD", "");
    slotbloom.run("reserve", "x", "--capacity", "1000").succeeded();

    without.run("list").failed(1);
    assertThat(without.run("list", "--password-file", file.toString()).succeeded().out())
        .isEqualTo("x\n");
    assertThat(
            without.with("SLOTBLOOM_PASSWORD_FILE", file.toString()).run("list").succeeded().out())
        .isEqualTo("x\n");
    assumeThat(launcher.shell("command -v script").exitCode()).isZero();
    Result asked =
        launcher
            .with("SLOTBLOOM_PASSWORD", "")
            .with("TYPED", schema.owner().password())
            .shell("echo \"$TYPED\" | script -qec '\"$SLOTBLOOM\" list --password' /dev/null");
    assertThat(asked.ended(0).out()).contains("Password: ", "x\r\n");
  }

  @Test
  void passwordsAreInNoProcessList() throws Exception {
    // With a password that nothing else is called.
    TestAccount account = schema.createAccount("ALL");
    Running running =
        launcher.on(schema, account).startInteractive("dedup", "x", "--capacity", "1000");
    running.type("a\n");
    Awaitility.await()
        .atMost(Duration.ofSeconds(60))
        .until(() -> Files.readString(running.out()).equals("a\n"));

    String arguments = Files.readString(Path.of("/proc/" + running.process().pid() + "/cmdline"));
    running.process().getOutputStream().close();

    assertThat(arguments).contains("dedup").doesNotContain(account.password());
    running.await().succeeded();
  }

  @Test
  void whatIsListedOrCountedCanBeHadAsJson() throws Exception {
    slotbloom.run("reserve", "b", "--capacity", "1000").succeeded();
    Result dedup =
        slotbloom.runOn("x\ny\nx\n", "dedup", "a", "--capacity", "1000", "--json").succeeded();

    assertThat(slotbloom.run("list", "--json").succeeded().out()).isEqualTo("[\"a\",\"b\"]\n");
    assertThat(dedup.out()).isEqualTo("x\ny\n");
    assertThat(JSON.std.mapFrom(dedup.err()))
        .containsEntry("filter", "a")
        .containsEntry("interrupted", false)
        .containsEntry("linesRead", 3)
        .containsEntry("printed", 2)
        .containsEntry("seenBefore", 1)
        .containsEntry("withoutKey", 0)
        .containsKey("seconds")
        .hasSize(7);
    assertThat(json("info", "a").keySet())
        .containsExactly(
            "name",
            "id",
            "keyType",
            "hash",
            "seed",
            "layout",
            "growable",
            "retainHashes",
            "onFull",
            "capacity",
            "falsePositiveRate",
            "keysAdded",
            "nearlyFull",
            "unfoldedKeys",
            "estimatedKeys",
            "saturated",
            "currentFalsePositiveRate",
            "bits",
            "bitsSet",
            "fill",
            "bitsPerKey",
            "mirrorBytes",
            "slotTableBytes",
            "epoch",
            "lastSequence",
            "foldedSequence",
            "backlog",
            "foldLagSeconds",
            "journalRows",
            "journalTableBytes",
            "usageDays",
            "questions",
            "adds",
            "duplicateRate",
            "falsePositivesReported",
            "createdAt",
            "generations");
  }

  @Test
  void sqlAsksAFilterWhoseSeedIsASecret() throws Exception {
    slotbloom.run("reserve", "s", "--capacity", "1000", "--hash", "sha256").succeeded();
    slotbloom.run("add", "s", "a").succeeded();

    assertThat(json("info", "s")).containsEntry("hash", "sha256").doesNotContainKey("seed");
    assertThat(json("info", "s", "--show-seed").get("seed"))
        .isEqualTo(new Sql(schema.dataSource()).number("SELECT seed FROM bloom_filter"));
    assertThat(slotbloom.run("sql", "s").succeeded().out())
        .startsWith("-- Filter s. ")
        .contains("-- 1. ", "FROM bloom_bits_s_v1\n")
        .endsWith(";\n");
    String printed = slotbloom.run("sql", "s", "--function").succeeded().out();
    assertThat(printed).startsWith("-- ").endsWith("//\nDELIMITER ;\n");
    try (Connection connection = schema.dataSource().getConnection();
        Statement statement = connection.createStatement()) {
      // As the client does it.
      for (String part : printed.split("DELIMITER [^\n]+\n")[1].split("\n//\n")) {
        statement.execute(part);
      }
    }
    assertThat(
            new Sql(schema.dataSource())
                .rows("SELECT bloom_s_might_contain('a'), bloom_s_might_contain('b')"))
        .containsExactly(List.of("1", "0"));
  }

  @Test
  void interruptedIsToldByTheExitCode() throws Exception {
    // Who starts the tests in the background makes their children ignore the signal.
    Running running =
        launcher.startInteractiveShell(
            "exec env --default-signal=INT \"$SLOTBLOOM\" dedup tail --capacity 1000");
    running.type("a\n");
    Awaitility.await()
        .atMost(Duration.ofSeconds(60))
        .until(() -> Files.readString(running.out()).equals("a\n"));

    launcher.shell("kill -INT " + running.process().pid()).succeeded();

    assertThat(running.await().ended(130).err())
        .contains("1 lines read, 1 printed")
        .hasLineCount(1);
  }

  @Test
  void dedupFollowsTheFilterThatIsThere() throws Exception {
    slotbloom
        .run("reserve", "w", "--capacity", "1000", "--fpp", "0.01", "--layout", "standard")
        .succeeded();

    slotbloom.runOn("a\n", "dedup", "w").succeeded();
    slotbloom.runOn("a\n", "dedup", "w", "--capacity", "1000", "--fpp", "0.01").succeeded();
    slotbloom.runOn("a\n", "dedup", "w", "--capacity", "1000").succeeded();
    Result other = slotbloom.runOn("b\n", "dedup", "w", "--capacity", "2000").failed(1);

    assertThat(other.err()).contains("w", "1000", "2000");
    assertThat(slotbloom.run("exists", "w", "b").out()).isEqualTo("0\tb\n");
  }

  @Test
  void whatIsMissingIsNamed() throws Exception {
    slotbloom.run("migrate").succeeded();

    assertThat(slotbloom.run("dedup", "none").failed(2).err()).contains("none", "--capacity");
    assertThat(slotbloom.run("add", "none", "k").failed(1).err()).contains("none");
    assertThat(slotbloom.run("info", "none").failed(1).err()).contains("none");
    assertThat(slotbloom.run("drop", "none", "--yes").failed(1).err()).contains("none");
    assertThat(slotbloom.run("dedup", "none", "--capacity", "10", "/no/such/file").failed(1).err())
        .contains("/no/such/file");
    slotbloom.run("reserve", "there", "--capacity", "1000").succeeded();
    assertThat(slotbloom.run("reserve", "there", "--capacity", "1000").failed(1).err())
        .contains("there");
  }

  @Test
  void theTablesAreMissedByThoseThatDoNotMakeThem() throws Exception {
    assertThat(slotbloom.run("list").failed(1).err()).contains("migrat");
  }

  @Test
  void theSqlCanBeRunBeforehand() throws Exception {
    execute(slotbloom.run("migrate", "--print-sql").succeeded().out());
    execute(
        slotbloom.run("reserve", "ours", "--capacity", "1000", "--print-sql").succeeded().out());
    assertThat(slotbloom.run("list").succeeded().out()).isEmpty();

    slotbloom.run("reserve", "ours", "--capacity", "1000").succeeded();
    assertThat(slotbloom.run("add", "ours", "k").succeeded().out()).isEqualTo("1\tk\n");
  }

  @Test
  void aPasswordThatIsWrongIsNotShown() throws Exception {
    Result wrong = slotbloom.with("SLOTBLOOM_PASSWORD", "hush-hush").run("list").failed(1);

    assertThat(wrong.err()).contains("Access denied").doesNotContain("hush");
  }

  private void execute(String script) throws SQLException {
    try (Connection connection = schema.dataSource().getConnection();
        Statement statement = connection.createStatement()) {
      for (String sql : script.split(";\\s*\\n")) {
        String bare =
            sql.lines().filter(line -> !line.startsWith("--")).collect(Collectors.joining("\n"));
        if (!bare.isBlank()) {
          statement.execute(bare);
        }
      }
    }
  }

  private long bitsSetInTable(String table) throws SQLException {
    try (Connection connection = schema.dataSource().getConnection();
        Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery("SELECT SUM(BIT_COUNT(bits)) FROM " + table)) {
      row.next();
      return row.getLong(1);
    }
  }

  private Map<String, Object> json(String... arguments) throws Exception {
    List<String> all = new ArrayList<>(List.of(arguments));
    all.add("--json");
    return JSON.std.mapFrom(slotbloom.run(all.toArray(String[]::new)).succeeded().out());
  }

  private static String numbers(int from, int to) {
    return IntStream.range(from, to)
        .mapToObj(number -> number + "\n")
        .collect(Collectors.joining());
  }
}
