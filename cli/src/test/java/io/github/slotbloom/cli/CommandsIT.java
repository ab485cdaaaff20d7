package io.github.slotbloom.cli;

import static io.github.slotbloom.cli.Lines.numbers;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.jr.ob.JSON;
import io.github.slotbloom.BloomFilter;
import io.github.slotbloom.SlotBloom;
import io.github.slotbloom.cli.Slotbloom.Result;
import io.github.slotbloom.core.KeyType;
import io.github.slotbloom.testing.ByHand;
import io.github.slotbloom.testing.DatabaseContract;
import io.github.slotbloom.testing.FaultyNetwork;
import io.github.slotbloom.testing.Trap;
import java.sql.Connection;
import java.sql.Statement;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The commands as a user runs them. */
@DatabaseContract(migrated = true, shortLeases = true, onOne = true)
@Tag("e2e")
class CommandsIT extends OnSchema {

  @Test
  void aKeyIsNewOnceAndSeenAfterwards() throws Exception {
    slotbloom.run("reserve urls --capacity 10_000 --fpp 1e-6").succeeded();

    assertThat(slotbloom.run("exists urls a").ended(3).out()).isEqualTo("0\ta\n");
    assertThat(slotbloom.out("add urls a b a")).isEqualTo("1\ta\n1\tb\n0\ta\n");
    assertThat(slotbloom.run("exists urls b c").ended(3).out()).isEqualTo("1\tb\n0\tc\n");
    assertThat(slotbloom.outOn("c\n\nb\nd", "add urls")).isEqualTo("1\tc\n1\t\n0\tb\n1\td\n");
    assertThat(slotbloom.outOn("d\r\nd\n", "exists urls")).isEqualTo("0\td\r\n1\td\n");
    slotbloom.runOn("a\nz\n", "exists urls --exit-code").ended(3);
    slotbloom.runOn("a\nb\n", "exists urls --exit-code").ended(0);
    // A hyphen is standard input unless it is a key.
    assertThat(slotbloom.outOn("a\ne\n", "add urls -")).isEqualTo("0\ta\n1\te\n");
    assertThat(slotbloom.outOn("x\n", "add urls -- -")).isEqualTo("1\t-\n");
    assertThat(slotbloom.outOn("x\n", "exists urls - a")).isEqualTo("1\t-\n1\ta\n");
    assertThat(slotbloom.run("add", "urls", "--", "-x", "--url", "@y", "").succeeded().out())
        .isEqualTo("1\t-x\n1\t--url\n1\t@y\n0\t\n");
    assertThat(slotbloom.out("add urls @y")).isEqualTo("0\t@y\n");
  }

  @Test
  void aFilterIsReservedFilledListedClearedAndDropped() throws Exception {
    slotbloom.run("migrate").succeeded();
    assertThat(slotbloom.out("list")).isEmpty();
    slotbloom.run("reserve b --capacity 1000 --layout standard").succeeded();
    slotbloom.run("reserve a --capacity 1000 --fixed").succeeded();
    assertThat(slotbloom.out("list")).isEqualTo("a\nb\n");

    slotbloom.run("add b x").succeeded();
    slotbloom.run("reserve b --capacity 1000 --layout standard --if-not-exists").succeeded();
    slotbloom.run("exists b x").ended(0);
    assertThat(slotbloom.error(1, "reserve b --capacity 2000 --layout standard --if-not-exists"))
        .contains("capacity is 1000, not 2000");
    slotbloom.run("fold b").succeeded();
    assertThat(slotbloom.out("info b"))
        .startsWith("Filter b\n")
        .containsPattern("\n  Keys +1 of 1,000 \\(0\\.1 %\\)\n")
        .containsPattern("\n  To be folded +nothing\n")
        .containsPattern("\n  Layout +standard\n");

    slotbloom.run("clear b --yes").succeeded();
    assertThat(slotbloom.run("exists b x").ended(3).out()).isEqualTo("0\tx\n");
    slotbloom.run("drop b -y").succeeded();
    assertThat(slotbloom.out("list")).isEqualTo("a\n");
  }

  @Test
  void textKeysAreThoseOfTheLibraryAlsoFromAnEmptyEnvironment() throws Exception {
    slotbloom.run("reserve names --capacity 1000").succeeded();
    Result result =
        launcher.shell(
            "env -i PATH=\"$PATH\" JAVA_HOME=\"$JAVA_HOME\" SLOTBLOOM_URL=\"$SLOTBLOOM_URL\""
                + " SLOTBLOOM_USER=\"$SLOTBLOOM_USER\""
                + " SLOTBLOOM_PASSWORD=\"$SLOTBLOOM_PASSWORD\""
                + " \"$SLOTBLOOM\" add names 北京 Zoë");
    assertThat(result.succeeded().out()).isEqualTo("1\t北京\n1\tZoë\n");

    try (SlotBloom bloom = SlotBloom.on(schema.dataSource());
        BloomFilter<String> names = bloom.open("names", KeyType.text())) {
      assertThat(names.mightContain("Zoë")).isTrue();
      assertThat(names.mightContain("北京")).isTrue();
      assertThat(names.mightContain("南京")).isFalse();
      names.add("München");
    }
    assertThat(slotbloom.out("exists names München")).isEqualTo("1\tMünchen\n");
  }

  @Test
  void theServersOfAUrlAreTriedInTurn() throws Exception {
    // Nobody listens on the first port.
    String several = schema.url().replace("//", "//127.0.0.1:1,");
    assertThat(slotbloom.out("list --url " + several)).isEmpty();
  }

  @Test
  void longListsOfKeysAreAnsweredInFull() throws Exception {
    slotbloom.run("reserve many --capacity 50_000 --fpp 1e-6").succeeded();

    String added = slotbloom.outOn(numbers(0, 12_000), "add many");
    String asked = slotbloom.outOn(numbers(2_000, 24_000), "exists many");

    assertThat(added.lines().filter(line -> line.startsWith("1\t")).count())
        .isBetween(11_998L, 12_000L);
    assertThat(asked.lines().limit(10_000)).allMatch(line -> line.startsWith("1\t"));
    assertThat(asked.lines().skip(10_000).filter(line -> line.startsWith("1\t")).count())
        .isLessThan(3);
  }

  @Test
  void numbersAndBytesHaveKeyTypesOfTheirOwn() throws Exception {
    slotbloom.run("reserve ids --capacity 1000 --key-type long").succeeded();
    slotbloom.run("reserve raw --capacity 1000 --key-type hex").succeeded();

    assertThat(slotbloom.out("add ids --key-type long -- 42 -7 042"))
        .isEqualTo("1\t42\n1\t-7\n0\t042\n");
    assertThat(slotbloom.out("add raw --key-type hex 00ff 00FF")).isEqualTo("1\t00ff\n0\t00FF\n");
    try (SlotBloom bloom = SlotBloom.on(schema.dataSource());
        BloomFilter<Long> ids = bloom.open("ids", KeyType.longs());
        BloomFilter<byte[]> raw = bloom.open("raw", KeyType.bytes())) {
      assertThat(ids.mightContain(-7L)).isTrue();
      assertThat(raw.mightContain(new byte[] {0, (byte) 0xff})).isTrue();
    }
    assertThat(slotbloom.error(2, "add ids 42"))
        .contains("ids has keys of the type long", "--key-type long");
    assertThat(slotbloom.error(2, "exists raw --key-type long 42")).contains("--key-type hex");
    assertThat(slotbloom.errorOn(2, "1\n", "dedup ids")).contains("--key-type long");
    assertThat(slotbloom.error(2, "add ids --key-type long 4x2")).contains("'4x2'");
  }

  @Test
  void aCommandWaitsForAClearNoLongerThanItsTimeout() throws Exception {
    slotbloom.run("reserve x --capacity 1000").succeeded();
    slotbloom.run("add x a").succeeded();
    try (Connection clearing = ByHand.holdingLockOf("x", schema.dataSource().getConnection())) {
      assertThat(slotbloom.runOn("b\n", "dedup x --timeout 2").ended(5).err())
          .contains("Could not add to filter x within 2 s", "lock");
      clearing.rollback();
    }
    slotbloom.run("clear x --yes").succeeded();
    assertThat(slotbloom.outOn("a\n", "dedup x")).isEqualTo("a\n");
  }

  /** As one is that has just been started on a machine with much to do. */
  @Test
  void aServerThatIsSlowToLetACommandInIsTriedAgain() throws Exception {
    try (FaultyNetwork network = new FaultyNetwork(schema.database().address())) {
      Trap first = network.trap(Trap.Place.BEFORE_SERVER, "SELECT +@@session");
      slotbloom
          .with("SLOTBLOOM_URL", network.url(schema.name()) + "&socketTimeout=1000")
          .out("list");
      assertThat(first.hasCaught()).isTrue();
    }
  }

  @Test
  void aServerThatLetsACommandInAndSaysNoMoreIsGivenUp() throws Exception {
    try (FaultyNetwork network = new FaultyNetwork(schema.database().address())) {
      network.trap(Trap.Place.BEFORE_SERVER, "SELECT +@@session");
      InProcess away = slotbloom.with("SLOTBLOOM_URL", network.url(schema.name()));
      assertThat(away.run("list --timeout 1").ended(5).err())
          .startsWith("slotbloom: Cannot connect to jdbc:mysql://127.0.0.1:");
    }
  }

  @Test
  void listsAndFiguresCanBePrintedAsJson() throws Exception {
    slotbloom.run("reserve b --capacity 1000").succeeded();
    Result dedup = slotbloom.runOn("x\ny\nx\n", "dedup a --capacity 1000 --json").succeeded();

    assertThat(slotbloom.out("list --json")).isEqualTo("[\"a\",\"b\"]\n");
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
    assertThat(json("info a"))
        .containsEntry("keysAdded", 2)
        .containsEntry("keyType", "text")
        .containsEntry(
            "bitsSet", (int) sql.number("SELECT SUM(BIT_COUNT(bits)) FROM " + sql.slots("a", 1)));
    assertThat(json("info a").keySet())
        .containsExactly(
            """
            name id keyType hash seed layout growable retainHashes onFull keys capacity
            falsePositiveRate keysAdded used nearlyFull unfoldedKeys estimatedKeys saturated
            currentFalsePositiveRate bits bitsSet fill bitsPerKey mirrorBytes slotTableBytes
            epoch lastSequence foldedSequence backlog foldLagSeconds journalRows
            journalTableBytes usageDays lookups adds duplicateRate falsePositivesReported
            createdAt generations"""
                .split("\\s+"));
  }

  @Test
  void printedSqlAsksAFilterWithASecretSeed() throws Exception {
    slotbloom.run("reserve s --capacity 1000 --hash sha256").succeeded();
    slotbloom.run("add s a").succeeded();

    assertThat(json("info s")).containsEntry("hash", "sha256").doesNotContainKey("seed");
    assertThat(json("info s --show-seed").get("seed"))
        .isEqualTo(sql.number("SELECT seed FROM bloom_filter"));
    String printed = slotbloom.out("function s");
    assertThat(printed).startsWith("-- ").endsWith("//\nDELIMITER ;\n");
    try (Connection connection = schema.dataSource().getConnection();
        Statement statement = connection.createStatement()) {
      // As the client does it.
      for (String part : printed.split("DELIMITER [^\n]+\n")[1].split("\n//\n")) {
        statement.execute(part);
      }
    }
    assertThat(sql.rows("SELECT %1$s('a'), %1$s('b')".formatted(sql.function("s"))))
        .containsExactly(List.of("1", "0"));
  }
}
