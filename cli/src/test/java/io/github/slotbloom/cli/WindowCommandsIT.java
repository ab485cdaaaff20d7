package io.github.slotbloom.cli;

import static io.github.slotbloom.cli.Lines.numbers;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.jr.ob.JSON;
import io.github.slotbloom.testing.DatabaseContract;
import io.github.slotbloom.testing.PossibleLog;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Windows are made, and every command tells of them. */
@DatabaseContract(migrated = true)
@Tag("e2e")
class WindowCommandsIT extends OnSchema {

  private void reserve(String name, String... more) throws Exception {
    String[] all = new String[4 + more.length];
    System.arraycopy(new String[] {"reserve", name, "--capacity", "7000"}, 0, all, 0, 4);
    System.arraycopy(more, 0, all, 4, more.length);
    slotbloom.run(all).succeeded();
  }

  /** What is stored becomes so many buckets older. */
  private void bucketsPass(int number) throws Exception {
    sql.run("UPDATE bloom_filter SET bucket = bucket - ?", number);
    sql.run("UPDATE bloom_generation SET bucket = bucket - ? WHERE bucket IS NOT NULL", number);
  }

  @SuppressWarnings("unchecked")
  private List<Map<String, Object>> generations(String command, String name) throws Exception {
    return (List<Map<String, Object>>) json(command, name).get("generations");
  }

  private static Object ofBucket(Map<String, Object> generation, String figure) {
    return ((Map<?, ?>) generation.get("bucket")).get(figure);
  }

  @Test
  void keysExpireBucketByBucket() throws Exception {
    reserve("seen", "--window", "7d");
    assertThat(slotbloom.run("add", "seen", "a", "b").succeeded().out()).isEqualTo("1\ta\n1\tb\n");
    bucketsPass(7);
    assertThat(slotbloom.run("add", "seen", "a", "c").succeeded().out()).isEqualTo("0\ta\n1\tc\n");
    bucketsPass(1);
    assertThat(slotbloom.run("exists", "seen", "a", "c").ended(3).out()).isEqualTo("0\ta\n1\tc\n");
    assertThat(slotbloom.runOn("a\nc\n", "dedup", "seen").succeeded().out()).isEqualTo("a\n");
  }

  @Test
  void everyCommandTellsOfTheBuckets() throws Exception {
    reserve("week", "--window", "7d", "--renew");
    reserve("lasting");
    slotbloom.runOn(numbers(0, 30), "add", "week", "--fold").succeeded();
    bucketsPass(1);
    slotbloom.runOn("x\n" + numbers(0, 20), "add", "week", "--fold").succeeded();

    Map<String, Object> info = json("info", "week");
    assertThat(info)
        .containsEntry("window", Map.of("seconds", 604_800.0, "buckets", 7, "renews", true))
        .containsEntry("keysAdded", 31)
        .containsEntry("keysRenewed", 20)
        .containsEntry("capacity", 1030)
        .containsEntry("used", 0.021)
        .containsEntry("nearlyFull", false);
    List<Map<String, Object>> generations = generations("info", "week");
    assertThat(generations).extracting(g -> g.get("state")).containsExactly("active", "active");
    assertThat(generations).extracting(g -> ofBucket(g, "keys")).containsExactly(30, 21);
    assertThat(generations).extracting(g -> ofBucket(g, "over")).containsExactly(true, false);
    Map<String, Object> present = generations.get(1);
    Instant begin = Instant.parse((String) ofBucket(present, "begin"));
    assertThat(ofBucket(present, "end")).isEqualTo(begin.plus(Duration.ofDays(1)).toString());
    assertThat(ofBucket(present, "expiresAt")).isEqualTo(begin.plus(Duration.ofDays(8)).toString());
    assertThat(json("info", "lasting")).doesNotContainKeys("window", "keysRenewed");

    String text = slotbloom.run("info", "week").succeeded().out();
    assertThat(text)
        .containsPattern("\n  Keys +31, and 20 renewed\n")
        .containsPattern("\n  Present bucket +21 of 1,000 keys \\(2\\.1 %\\)\n")
        .containsPattern("\n  Window +7d in 7 buckets of 1d, renewed\n")
        .containsPattern("\n  Bucket +21 keys from " + begin + " to ")
        .containsPattern("\n  Expires +" + begin.plus(Duration.ofDays(8)) + "\n");
    assertThat(slotbloom.run("info", "lasting").succeeded().out())
        .doesNotContain("Window", "ucket", "Expires");

    assertThat(slotbloom.run("list", "--windows").succeeded().out())
        .isEqualTo("week\t7d in 7 buckets of 1d, renewed\n");
    assertThat(JSON.std.mapFrom(slotbloom.run("list", "--windows", "--json").succeeded().out()))
        .containsOnlyKeys("week");
    assertThat(slotbloom.run("list").succeeded().out()).isEqualTo("lasting\nweek\n");

    assertThat(slotbloom.run("inspect", "week", "--ascii").succeeded().out())
        .contains(", 21 keys from " + begin + " on, expires at ");
    assertThat(generations("inspect", "week"))
        .extracting(g -> g.get("answers"))
        .containsExactly(true, true);
    assertThat(slotbloom.run("report", "week", "--html", "-").succeeded().out())
        .contains(
            "Buckets over time",
            "24\u00a0hours longer at most, from each add on",
            "class=\"present\"");
    assertThat(slotbloom.run("report", "lasting", "--html", "-").succeeded().out())
        .doesNotContain("Buckets over time");
  }

  @Test
  void whatExpiredIsShownAsSuch() throws Exception {
    reserve("idle", "--window", "24h", "--buckets", "24");
    slotbloom.run("add", "idle", "a", "--fold").succeeded();
    bucketsPass(30);

    assertThat(json("info", "idle"))
        .containsEntry("keysAdded", 0)
        .containsEntry("estimatedKeys", 0)
        .containsEntry("mirrorBytes", 0)
        .containsEntry("used", 0.0);
    assertThat(generations("info", "idle"))
        .extracting(g -> g.get("state"))
        .containsExactly("expired");
    assertThat(slotbloom.run("info", "idle").succeeded().out()).contains("Generation 1, expired");
    assertThat(slotbloom.run("inspect", "idle", "--ascii").succeeded().out())
        .contains("bloom_bits_idle_v1, expired)");
    assertThat(generations("inspect", "idle"))
        .extracting(g -> g.get("answers"))
        .containsExactly(false);
    assertThat(slotbloom.run("report", "idle", "--no-verify", "--html", "-").succeeded().out())
        .contains("The keys of 1\u00a0generation expired");
  }

  @ParameterizedTest
  @CsvSource({"7d,7", "24h,8", "70m,7", "90s,8"})
  void theNumberOfBucketsFollowsFromTheLength(String length, int buckets) throws Exception {
    reserve("usual", "--window", length);
    assertThat(((Map<?, ?>) json("info", "usual").get("window")).get("buckets")).isEqualTo(buckets);
  }

  @Test
  void dedupMakesAWindowAndChecksOneThatExists() throws Exception {
    String[] dedup = {"dedup", "lines", "--capacity", "1000", "--window", "24h", "--buckets", "24"};
    assertThat(slotbloom.runOn("a\nb\na\n", dedup).succeeded().out()).isEqualTo("a\nb\n");
    assertThat(slotbloom.runOn("a\n", dedup).succeeded().out()).isEmpty();
    assertThat(slotbloom.runOn("b\nc\n", "dedup", "lines", "--window", "1d").succeeded().out())
        .isEqualTo("c\n");
    assertThat(slotbloom.runOn("d\n", "dedup", "lines").succeeded().out()).isEqualTo("d\n");

    assertThat(slotbloom.runOn("e\n", "dedup", "lines", "--window", "7d").failed(1).err())
        .contains(
            "Filter lines was made with a window of 1d in 24 buckets of 1h, and --window 7d was"
                + " given");
    assertThat(
            slotbloom.runOn("e\n", "dedup", "lines", "--window", "1d", "--renew").failed(1).err())
        .contains("--window 1d --renew was given");
    assertThat(
            slotbloom
                .runOn("e\n", "dedup", "lines", "--window", "1d", "--buckets", "8")
                .failed(1)
                .err())
        .contains("--window 1d --buckets 8 was given");
    assertThat(slotbloom.runOn("e\n", "dedup", "none", "--window", "1d").failed(2).err())
        .contains("--capacity N");

    reserve("plain");
    assertThat(slotbloom.runOn("e\n", "dedup", "plain", "--window", "1d").failed(1).err())
        .contains("Filter plain was made without one, and --window 1d was given");
    bucketsPass(1);
    slotbloom.runOn("f\n", dedup).succeeded();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "reserve f --capacity 9 --renew | --window",
        "reserve f --capacity 9 --buckets 7 | --window",
        "reserve f --capacity 9 --window 7 | 90s, 30m, 12h or 7d",
        "reserve f --capacity 9 --window 7d --buckets 0 | 1 to 96",
        "reserve f --capacity 9 --window 7d --buckets 97 | 1 to 96",
        "reserve f --capacity 9 --window 7d --buckets x | --buckets",
        "reserve f --capacity 9 --window 5s --buckets 10 | since a bucket takes",
        "reserve f --capacity 9 --window 7d --buckets 11 | whole milliseconds",
        "reserve f --capacity 9 --window 7d --retain-hashes | retain hashes",
        "dedup f --window 7d --buckets 97 | 1 to 96",
        "dedup f --renew | --window",
        "plan --capacity 9 --buckets 7 | --window",
        "list --expires --windows | --expires does not go with --windows"
      })
  void whatMakesNoSenseIsAUsageError(String line, String message) {
    assertThat(slotbloom.run(line.split(" ")).failed(2).err()).contains(message);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"grow f --capacity 90000", "grow f --capacity 90000 --from keys", "remove f a"})
  void whatWindowsCannotDoIsRefusedWithAReason(String line) throws Exception {
    reserve("f", "--window", "7d");
    Path keys = Files.writeString(directory.resolve("keys"), "a\n");
    String[] arguments = line.replace("keys", keys.toString()).split(" ");
    assertThat(slotbloom.run(arguments).failed(2).err())
        .containsPattern(
            "Filter f is a window, whose keys expire, so it cannot|not reserved as removable");
  }

  @Test
  void keysCanBeRemovedFromAWindow() throws Exception {
    reserve("sessions", "--window", "7d", "--removable");
    slotbloom.run("add", "sessions", "a", "b").succeeded();
    assertThat(slotbloom.run("remove", "sessions", "a", "c").succeeded().out())
        .isEqualTo("1\ta\n0\tc\n");
    assertThat(slotbloom.run("add", "sessions", "a", "b").succeeded().out())
        .isEqualTo("1\ta\n0\tb\n");
    slotbloom.run("verify", "sessions").succeeded();
  }

  @Test
  void reservingAgainComparesTheWindow() throws Exception {
    reserve("same", "--window", "7d");
    reserve("same", "--window", "7d", "--buckets", "7", "--if-not-exists");
    assertThat(
            slotbloom
                .run(
                    "reserve",
                    "same",
                    "--capacity",
                    "7000",
                    "--window",
                    "7d",
                    "--renew",
                    "--if-not-exists")
                .failed(1)
                .err())
        .contains("window is");
  }

  @Test
  void aPlanCountsOneGenerationMoreThanBuckets() throws Exception {
    Map<String, Object> bucket =
        layout(slotbloom.run("plan", "--capacity", "1000", "--fpp", "0.000125", "--json").out());
    String planned =
        slotbloom.run("plan", "--capacity", "7000", "--window", "7d", "--json").succeeded().out();
    Map<String, Object> window = layout(planned);

    assertThat(JSON.std.mapFrom(planned)).containsKey("window");
    assertThat(window).containsEntry("hashes", bucket.get("hashes"));
    assertThat(number(window, "bits")).isEqualTo(8 * number(bucket, "bits"));
    assertThat(number(window, "mirrorBytes")).isEqualTo(8 * number(bucket, "mirrorBytes"));
    assertThat(number(window, "slotTableBytes")).isEqualTo(9 * number(bucket, "slotTableBytes"));
    assertThat(slotbloom.run("plan", "--capacity", "7000", "--window", "7d").succeeded().out())
        .contains("found for 7d in 7 buckets of 1d; 8 generations answer", "slot tables, full");
    assertThat(slotbloom.run("plan", "--capacity", "7000").succeeded().out())
        .contains("slot table, full")
        .doesNotContain("found for");
  }

  private static long number(Map<String, Object> figures, String name) {
    return ((Number) figures.get(name)).longValue();
  }

  @SuppressWarnings("unchecked")
  private static Map<String, Object> layout(String plan) throws Exception {
    return ((List<Map<String, Object>>) JSON.std.mapFrom(plan).get("layouts")).get(0);
  }

  @Test
  @PossibleLog("^WARN SelfRotation - filter limited cannot prepare its next bucket at present; ")
  void anAccountThatMakesNoTablesIsToldWhatFollows() throws Exception {
    InProcess limited =
        new InProcess(directory).on(schema, schema.createAccount("SELECT, INSERT, UPDATE, DELETE"));
    reserve("limited", "--window", "7d");
    limited.run("add", "limited", "a").succeeded();
    bucketsPass(1);
    limited.run("add", "limited", "b").succeeded();
    assertThat(limited.run("exists", "limited", "a", "b").succeeded().out())
        .isEqualTo("1\ta\n1\tb\n");
    bucketsPass(8);
    assertThat(limited.run("add", "limited", "c").failed(1).err())
        .contains("Filter limited has no table for the keys of a new bucket");
    sql.runScript(
        slotbloom.run("grow", "limited", "--capacity", "9", "--dry-run").succeeded().out());
    assertThat(limited.run("add", "limited", "c", "a").succeeded().out()).isEqualTo("1\tc\n1\ta\n");
  }

  @Test
  void helpAndCompletionKnowTheOptions() {
    for (String command : List.of("reserve", "dedup", "plan")) {
      assertThat(slotbloom.run(command, "--help").succeeded().out())
          .contains("--window", "--buckets", "--renew");
    }
    assertThat(slotbloom.run("completion").succeeded().out())
        .contains("--window", "--buckets", "--renew", "--windows");
  }
}
