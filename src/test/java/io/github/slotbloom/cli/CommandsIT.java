package io.github.slotbloom.cli;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.slotbloom.BloomFilter;
import io.github.slotbloom.SlotBloom;
import io.github.slotbloom.cli.Slotbloom.Result;
import io.github.slotbloom.cli.Slotbloom.Running;
import io.github.slotbloom.core.KeyType;
import io.github.slotbloom.testing.DatabaseContract;
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
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The commands as a user runs them, on each database. */
@DatabaseContract
@Tag("e2e")
class CommandsIT {

  @TempDir Path directory;

  private TestSchema schema;
  private Slotbloom slotbloom;

  @BeforeEach
  void pointAtTheSchema(TestSchema schema) {
    this.schema = schema;
    slotbloom =
        new Slotbloom(directory)
            .with("SLOTBLOOM_URL", schema.url())
            .with("SLOTBLOOM_USER", schema.owner().user())
            .with("SLOTBLOOM_PASSWORD", schema.owner().password());
  }

  @Test
  void keysAreNewOnceAndSeenEverAfter() throws Exception {
    slotbloom.run("reserve", "urls", "--capacity", "10_000", "--fpp", "1e-6").succeeded();

    assertThat(slotbloom.run("exists", "urls", "a").succeeded().out()).isEqualTo("0\ta\n");
    assertThat(slotbloom.run("add", "urls", "a", "b", "a").succeeded().out())
        .isEqualTo("1\ta\n1\tb\n0\ta\n");
    assertThat(slotbloom.run("exists", "urls", "b", "c").succeeded().out())
        .isEqualTo("1\tb\n0\tc\n");
    assertThat(slotbloom.runOn("c\n\nb\nd", "add", "urls").succeeded().out())
        .isEqualTo("1\tc\n1\t\n0\tb\n1\td\n");
    assertThat(slotbloom.runOn("d\r\nd\n", "exists", "urls").succeeded().out())
        .isEqualTo("0\td\r\n1\td\n");
  }

  @Test
  void theLifeOfAFilter() throws Exception {
    slotbloom.run("migrate").succeeded();
    slotbloom.run("migrate").succeeded();
    assertThat(slotbloom.run("list").succeeded().out()).isEmpty();
    slotbloom.run("reserve", "b", "--capacity", "1000", "--layout", "standard").succeeded();
    slotbloom
        .run("reserve", "a", "--capacity", "1000", "--write-mode", "write-through", "--fixed")
        .succeeded();
    assertThat(slotbloom.run("list").succeeded().out()).isEqualTo("a\nb\n");

    slotbloom.run("add", "b", "x").succeeded();
    slotbloom.run("fold", "b").succeeded();
    assertThat(slotbloom.run("info", "b").succeeded().out())
        .containsPattern("layout +standard")
        .containsPattern("keysAdded +1\n")
        .containsPattern("backlog +0\n");

    slotbloom.run("clear", "b").succeeded();
    assertThat(slotbloom.run("exists", "b", "x").succeeded().out()).isEqualTo("0\tx\n");
    slotbloom.run("drop", "b").succeeded();
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
        slotbloom.shell(
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
  void dedupPassesBytesThroughAsTheyCame() throws Exception {
    byte[] input =
        "caf\u00e9\r\n\u00ff\u00fe\n\n\0\ncaf\u00e9\r\n\u00fe\u00ff\n\nno feed"
            .getBytes(ISO_8859_1);

    Result result = slotbloom.runOn(input, "dedup", "raw", "--capacity", "1000").succeeded();

    assertThat(result.bytes())
        .isEqualTo("caf\u00e9\r\n\u00ff\u00fe\n\n\0\n\u00fe\u00ff\nno feed".getBytes(ISO_8859_1));
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
    Running running = slotbloom.startInteractive("dedup", "tail", "--capacity", "1000");

    running.type("a\nb\na\nbegun");
    Awaitility.await()
        .atMost(Duration.ofSeconds(60))
        .until(() -> Files.readString(running.out()).equals("a\nb\n"));
    running.type(" and done\n");
    running.process().getOutputStream().close();

    assertThat(running.await().succeeded().out()).isEqualTo("a\nb\nbegun and done\n");
  }

  @Test
  void dedupThatIsToldToEndFinishesWhatItBegan() throws Exception {
    Running running = slotbloom.startInteractive("dedup", "tail", "--capacity", "1000");
    running.type("a\nb\n");
    Awaitility.await()
        .atMost(Duration.ofSeconds(60))
        .until(() -> Files.readString(running.out()).equals("a\nb\n"));

    running.process().destroy();
    Result result = running.await();

    assertThat(result.exitCode()).isEqualTo(143);
    assertThat(result.err()).contains("2 lines read, 2 printed").hasLineCount(1);
  }

  @Test
  void severalDedupsAtOncePrintNoLineTwice() throws Exception {
    List<Running> runs = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      byte[] overlapping = numbers(i * 10_000, i * 10_000 + 20_000).getBytes(UTF_8);
      runs.add(slotbloom.startOn(overlapping, "dedup", "words", "--capacity", "100_000"));
    }

    List<String> printed = new ArrayList<>();
    for (Running run : runs) {
      printed.addAll(run.await().succeeded().out().lines().toList());
    }

    Set<String> distinct = new HashSet<>(printed);
    assertThat(printed).hasSameSizeAs(distinct);
    // At a rate of 1e-6, more than two false positives among 50,000 lines are hardly possible.
    assertThat(distinct.size()).isBetween(49_998, 50_000);
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
    assertThat(slotbloom.run("drop", "none").failed(1).err()).contains("none");
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

  private static String numbers(int from, int to) {
    return IntStream.range(from, to)
        .mapToObj(number -> number + "\n")
        .collect(Collectors.joining());
  }
}
