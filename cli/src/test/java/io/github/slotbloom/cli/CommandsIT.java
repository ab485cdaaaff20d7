package io.github.slotbloom.cli;

import static io.github.slotbloom.cli.Lines.numbers;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.jr.ob.JSON;
import io.github.slotbloom.BloomFilter;
import io.github.slotbloom.SlotBloom;
import io.github.slotbloom.cli.Slotbloom.Result;
import io.github.slotbloom.core.KeyType;
import io.github.slotbloom.testing.DatabaseContract;
import io.github.slotbloom.testing.FaultyNetwork;
import io.github.slotbloom.testing.ShortLease;
import io.github.slotbloom.testing.Trap;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The commands as a user runs them. */
@DatabaseContract(onOne = true)
@Tag("e2e")
class CommandsIT extends OnSchema {

  @Test
  void aKeyIsNewOnceAndSeenAfterwards() throws Exception {
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
  void aFilterIsReservedFilledListedClearedAndDropped() throws Exception {
    slotbloom.run("migrate").succeeded();
    slotbloom.run("migrate").succeeded();
    ShortLease.forAll(sql);
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
  void theServersOfAUrlAreTriedInTurn() throws Exception {
    String here = schema.url();
    int hosts = here.indexOf("//") + 2;
    // Nobody listens on the first port.
    String several = here.substring(0, hosts) + "127.0.0.1:1," + here.substring(hosts);
    slotbloom.run("reserve", "names", "--capacity", "1000", "--url", several).succeeded();

    Result added = slotbloom.run("add", "names", "a", "--url", several);

    assertThat(added.succeeded().out()).isEqualTo("1\ta\n");
  }

  @Test
  void keysMayLookLikeOptionsOrFiles() throws Exception {
    slotbloom.run("reserve", "urls", "--capacity", "1000", "--fpp", "1e-6").succeeded();

    assertThat(slotbloom.run("add", "urls", "--", "-x", "--url", "@y", "").succeeded().out())
        .isEqualTo("1\t-x\n1\t--url\n1\t@y\n1\t\n");
    assertThat(slotbloom.run("add", "urls", "@y").succeeded().out()).isEqualTo("0\t@y\n");
  }

  @Test
  void existsAnswersByItsExitCode() throws Exception {
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
  void longListsOfKeysAreAnsweredInFull() throws Exception {
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
  void numbersAndBytesHaveKeyTypesOfTheirOwn() throws Exception {
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
  void aCommandWaitsForAClearNoLongerThanItsTimeout() throws Exception {
    slotbloom.run("reserve", "x", "--capacity", "1000").succeeded();
    ShortLease.of("x", sql);
    sql.run("UPDATE bloom_filter SET state = 'CLEARING'");

    assertThat(slotbloom.runOn("a\n", "dedup", "x", "--timeout", "5").ended(5).err())
        .contains("Filter x is being cleared", "clear it again to finish");

    slotbloom.run("clear", "x", "--yes").succeeded();
    assertThat(slotbloom.runOn("a\n", "dedup", "x").succeeded().out()).isEqualTo("a\n");
  }

  /** As one is that has just been started on a machine with much to do. */
  @Test
  void aServerThatIsSlowToLetACommandInIsTriedAgain() throws Exception {
    try (FaultyNetwork network = new FaultyNetwork(schema.database().address())) {
      Trap first = network.trap(Trap.Place.BEFORE_SERVER, "SELECT +@@session");
      slotbloom
          .with("SLOTBLOOM_URL", network.url(schema.name()) + "&socketTimeout=2000")
          .run("reserve", "x", "--capacity", "1000")
          .succeeded();
      assertThat(first.hasCaught()).isTrue();
    }
  }

  @Test
  void aServerThatLetsACommandInAndSaysNoMoreIsGivenUp() throws Exception {
    try (FaultyNetwork network = new FaultyNetwork(schema.database().address())) {
      network.trap(Trap.Place.BEFORE_SERVER, "SELECT +@@session");
      assertThat(
              slotbloom
                  .with("SLOTBLOOM_URL", network.url(schema.name()))
                  .run("list", "--timeout", "3")
                  .ended(5)
                  .err())
          .startsWith("slotbloom: Cannot connect to jdbc:mysql://127.0.0.1:");
    }
  }

  @Test
  void reservingAgainSucceedsIfAskedFor() throws Exception {
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
  void listsAndFiguresCanBePrintedAsJson() throws Exception {
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
            "used",
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
  void anotherProcessThatMigratesIsWaitedForUntilTheTimeOut() throws Exception {
    String lock = "Flyway-" + ("`" + schema.name() + "`.`bloom_schema_history`").hashCode();
    try (Connection other = schema.dataSource().getConnection()) {
      try (Statement statement = other.createStatement()) {
        statement.execute("SELECT GET_LOCK('" + lock + "', 0)");
      }
      Result result = slotbloom.run("migrate", "--timeout", "1");
      assertThat(result.exitCode()).isEqualTo(5);
      assertThat(result.err())
          .contains("Another process makes or updates the tables; waiting for up to 1 s ...")
          .contains("within 1 s");
    }
    slotbloom.run("migrate").succeeded();
  }

  @Test
  void printedSqlAsksAFilterWithASecretSeed() throws Exception {
    slotbloom.run("reserve", "s", "--capacity", "1000", "--hash", "sha256").succeeded();
    slotbloom.run("add", "s", "a").succeeded();

    assertThat(json("info", "s")).containsEntry("hash", "sha256").doesNotContainKey("seed");
    assertThat(json("info", "s", "--show-seed").get("seed"))
        .isEqualTo(sql.number("SELECT seed FROM bloom_filter"));
    assertThat(slotbloom.run("sql", "s").succeeded().out())
        .startsWith("-- Filter s. ")
        .contains("SET SESSION sql_big_selects = 1;", "-- 1. ", "FROM bloom_bits_s_v1\n")
        .endsWith(";\n");
    try (Connection connection = schema.dataSource().getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute("SET SESSION max_join_size = 1");
      for (String query : slotbloom.run("sql", "s").out().split(";\n")) {
        statement.execute(query);
      }
    }
    String printed = slotbloom.run("sql", "s", "--function").succeeded().out();
    assertThat(printed).startsWith("-- ").endsWith("//\nDELIMITER ;\n");
    try (Connection connection = schema.dataSource().getConnection();
        Statement statement = connection.createStatement()) {
      // As the client does it.
      for (String part : printed.split("DELIMITER [^\n]+\n")[1].split("\n//\n")) {
        statement.execute(part);
      }
    }
    assertThat(sql.rows("SELECT bloom_s_might_contain('a'), bloom_s_might_contain('b')"))
        .containsExactly(List.of("1", "0"));
  }

  private long bitsSetInTable(String table) throws SQLException {
    return sql.number("SELECT SUM(BIT_COUNT(bits)) FROM " + table);
  }
}
