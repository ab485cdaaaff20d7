package io.github.slotbloom.cli;

import static io.github.slotbloom.cli.Lines.numbers;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.jr.ob.JSON;
import io.github.slotbloom.testing.DatabaseContract;
import io.github.slotbloom.testing.PossibleLog;
import io.github.slotbloom.testing.StoredManifest;
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

/** Windows are made, and every command tells of them. */
@DatabaseContract(migrated = true)
@Tag("e2e")
class WindowCommandsIT extends OnSchema {

  private void reserve(String line) {
    slotbloom.run("reserve --capacity 7000 " + line).succeeded();
  }

  /** What is stored becomes so many buckets older. */
  private void bucketsPass(int number) throws Exception {
    sql.run("UPDATE bloom_filter SET bucket = bucket - ?", number);
    for (String window : sql.texts("SELECT name FROM bloom_filter WHERE bucket IS NOT NULL")) {
      StoredManifest manifest = new StoredManifest(sql, window);
      for (int generation : manifest.generations()) {
        manifest.add(generation, "bucket", -number);
      }
    }
  }

  @SuppressWarnings("unchecked")
  private List<Map<String, Object>> generations(String command, String name) throws Exception {
    return (List<Map<String, Object>>) json(command + " " + name).get("generations");
  }

  private static Object ofBucket(Map<String, Object> generation, String figure) {
    return ((Map<?, ?>) generation.get("bucket")).get(figure);
  }

  @Test
  void keysExpireBucketByBucket() throws Exception {
    reserve("seen --window 7d");
    assertThat(slotbloom.out("add seen a b")).isEqualTo("1\ta\n1\tb\n");
    bucketsPass(7);
    assertThat(slotbloom.out("add seen a c")).isEqualTo("0\ta\n1\tc\n");
    bucketsPass(1);
    assertThat(slotbloom.run("exists seen a c").ended(3).out()).isEqualTo("0\ta\n1\tc\n");
    assertThat(slotbloom.outOn("a\nc\n", "dedup seen")).isEqualTo("a\n");
  }

  @Test
  void everyCommandTellsOfTheBuckets() throws Exception {
    reserve("week --window 7d --renew");
    reserve("lasting");
    slotbloom.runOn(numbers(0, 30), "add week --fold").succeeded();
    bucketsPass(1);
    slotbloom.runOn("x\n" + numbers(0, 20), "add week --fold").succeeded();

    Map<String, Object> info = json("info week");
    assertThat(info)
        .containsEntry("window", Map.of("seconds", 604_800.0, "buckets", 7, "renews", true))
        .containsEntry("keysAdded", 31)
        .containsEntry("keysRenewed", 20)
        .containsEntry("capacity", 7000)
        .containsEntry("fullAt", 1030)
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
    assertThat(json("info lasting")).doesNotContainKeys("window", "keysRenewed");

    String text = slotbloom.out("info week");
    assertThat(text)
        .containsPattern("\n  Keys +31, and 20 renewed\n")
        .containsPattern("\n  Current bucket +21 of 1,000 keys \\(2\\.1 %\\)\n")
        .containsPattern("\n  Window +7d in 7 buckets of 1d, renewed\n")
        .containsPattern("\n  Bucket +21 keys from " + begin + " to ")
        .containsPattern("\n  Expires +" + begin.plus(Duration.ofDays(8)) + "\n");
    assertThat(slotbloom.out("info lasting")).doesNotContain("Window", "ucket", "Expires");

    assertThat(slotbloom.out("list --windows")).isEqualTo("week\t7d in 7 buckets of 1d, renewed\n");
    assertThat(JSON.std.mapFrom(slotbloom.out("list --windows --json"))).containsOnlyKeys("week");
    assertThat(slotbloom.out("list")).isEqualTo("lasting\nweek\n");

    assertThat(slotbloom.out("inspect week --ascii"))
        .contains(", 21 keys since " + begin + ", expires at ");
    assertThat(generations("inspect", "week"))
        .extracting(g -> g.get("active"))
        .containsExactly(true, true);
    assertThat(slotbloom.out("report week --html -"))
        .contains(
            "Buckets over time",
            "24\u00a0hours longer at most, from each add on",
            "class=\"current\"");
    assertThat(slotbloom.out("report lasting --html -")).doesNotContain("Buckets over time");
  }

  @Test
  void whatExpiredIsShownAsSuch() throws Exception {
    reserve("idle --window 24h --buckets 24");
    slotbloom.run("add idle a --fold").succeeded();
    bucketsPass(30);

    assertThat(json("info idle"))
        .containsEntry("keysAdded", 0)
        .containsEntry("estimatedKeys", 0)
        .containsEntry("mirrorBytes", 0)
        .containsEntry("used", 0.0);
    assertThat(generations("info", "idle"))
        .extracting(g -> g.get("state"))
        .containsExactly("expired");
    assertThat(slotbloom.out("info idle")).contains("Generation 1, expired");
    assertThat(slotbloom.out("inspect idle --ascii")).contains(sql.slots("idle", 1) + ", expired)");
    assertThat(generations("inspect", "idle"))
        .extracting(g -> g.get("active"))
        .containsExactly(false);
    assertThat(slotbloom.out("report idle --no-verify --html -"))
        .contains("The keys of 1\u00a0generation expired");
  }

  @ParameterizedTest
  @CsvSource({"7d,7", "24h,8", "70m,7", "90s,8"})
  void theNumberOfBucketsFollowsFromTheLength(String length, int buckets) {
    assertThat(slotbloom.out("plan --capacity 9 --window " + length))
        .contains(" in " + buckets + " buckets of ");
  }

  @Test
  void dedupMakesAWindowAndChecksOneThatExists() throws Exception {
    String dedup = "dedup lines --capacity 1000 --window 24h --buckets 24";
    assertThat(slotbloom.outOn("a\nb\na\n", dedup)).isEqualTo("a\nb\n");
    assertThat(slotbloom.outOn("a\n", dedup)).isEmpty();
    assertThat(slotbloom.outOn("b\nc\n", "dedup lines --window 1d")).isEqualTo("c\n");
    assertThat(slotbloom.outOn("d\n", "dedup lines")).isEqualTo("d\n");

    assertThat(slotbloom.errorOn(1, "e\n", "dedup lines --window 7d"))
        .contains(
            "Filter lines was created with a window of 1d in 24 buckets of 1h, and --window 7d was"
                + " given");
    assertThat(slotbloom.errorOn(1, "e\n", "dedup lines --window 1d --renew"))
        .contains("--window 1d --renew was given");
    assertThat(slotbloom.errorOn(1, "e\n", "dedup lines --window 1d --buckets 8"))
        .contains("--window 1d --buckets 8 was given");
    assertThat(slotbloom.errorOn(2, "e\n", "dedup none --window 1d")).contains("--capacity N");

    reserve("plain");
    assertThat(slotbloom.errorOn(1, "e\n", "dedup plain --window 1d"))
        .contains("Filter plain was created without a window, and --window 1d was given");
    bucketsPass(1);
    slotbloom.runOn("f\n", dedup).succeeded();
  }

  @Test
  void whatWindowsCannotDoIsRefusedWithAReason() throws Exception {
    reserve("f --window 7d");
    Path keys = Files.writeString(directory.resolve("keys"), "a\n");
    String larger = "grow f --capacity 90000";
    for (String line : List.of(larger, larger + " --from " + keys)) {
      assertThat(slotbloom.error(2, line))
          .contains("Filter f is a window, whose keys expire, so it cannot");
    }
    assertThat(slotbloom.error(2, "remove f a")).contains("created without --removable");
  }

  @Test
  void keysCanBeRemovedFromAWindow() throws Exception {
    reserve("sessions --window 7d --removable");
    slotbloom.run("add sessions a b").succeeded();
    assertThat(slotbloom.out("remove sessions a c")).isEqualTo("1\ta\n0\tc\n");
    assertThat(slotbloom.out("add sessions a b")).isEqualTo("1\ta\n0\tb\n");
    slotbloom.run("verify sessions").succeeded();
  }

  @Test
  void reservingAgainComparesTheWindow() throws Exception {
    reserve("same --window 7d");
    reserve("same --window 7d --buckets 7 --if-not-exists");
    assertThat(
            slotbloom.error(1, "reserve same --capacity 7000 --window 7d --renew --if-not-exists"))
        .contains("window is");
  }

  @Test
  void aPlanCountsOneGenerationMoreThanBuckets() throws Exception {
    Map<String, Object> bucket =
        layout(slotbloom.run("plan --capacity 1000 --fpp 0.000125 --json").out());
    String planned = slotbloom.out("plan --capacity 7000 --window 7d --json");
    Map<String, Object> window = layout(planned);

    assertThat(JSON.std.mapFrom(planned)).containsKey("window");
    assertThat(window).containsEntry("hashes", bucket.get("hashes"));
    assertThat(number(window, "bits")).isEqualTo(8 * number(bucket, "bits"));
    assertThat(number(window, "mirrorBytes")).isEqualTo(8 * number(bucket, "mirrorBytes"));
    assertThat(number(window, "slotTableBytes")).isEqualTo(9 * number(bucket, "slotTableBytes"));
    assertThat(slotbloom.out("plan --capacity 7000 --window 7d"))
        .contains("found for 7d in 7 buckets of 1d; 8 active generations", "slot tables when full");
    assertThat(slotbloom.out("plan --capacity 7000"))
        .contains("slot table when full")
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
  @PossibleLog("^WARN SelfRotation - filter limited cannot prepare its next bucket right now, ")
  void anAccountThatMakesNoTablesIsToldWhatFollows() throws Exception {
    InProcess limited = withoutDdl();
    reserve("limited --window 7d");
    limited.run("add limited a").succeeded();
    bucketsPass(1);
    limited.run("add limited b").succeeded();
    assertThat(limited.out("exists limited a b")).isEqualTo("1\ta\n1\tb\n");
    bucketsPass(8);
    assertThat(limited.error(1, "add limited c"))
        .contains("Could not create the table", "slotbloom grow limited --capacity");
    sql.runScript(slotbloom.out("grow limited --capacity 9 --dry-run"));
    assertThat(limited.out("add limited c a")).isEqualTo("1\tc\n1\ta\n");
  }
}
