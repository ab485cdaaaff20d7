package io.github.slotbloom.cli;

import static io.github.slotbloom.cli.Lines.numbers;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.github.slotbloom.cli.Slotbloom.Result;
import io.github.slotbloom.cli.Slotbloom.Running;
import io.github.slotbloom.testing.DatabaseContract;
import io.github.slotbloom.testing.ExpectedLog;
import io.github.slotbloom.testing.KnownLogs;
import io.github.slotbloom.testing.TestAccount;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A filter is replaced by a larger one from the command line, on each database. */
@DatabaseContract(migrated = true, shortLeases = true, onOne = true)
@Tag("e2e")
class GrowCommandsIT extends OnSchema {

  private String file(String name, String content) throws Exception {
    return Files.writeString(directory.resolve(name), content).toString();
  }

  private Map<String, Object> status(String filter) throws Exception {
    return json("grow " + filter + " --status");
  }

  private List<?> generations(String filter) throws Exception {
    return (List<?>) json("info " + filter).get("generations");
  }

  private Result growFrom(InProcess slotbloom, String query, String line) {
    List<String> arguments = new ArrayList<>(List.of(("grow " + line).split(" ")));
    arguments.addAll(List.of("--query", query));
    return slotbloom.run(arguments.toArray(String[]::new));
  }

  private void awaitKeysRead(long atLeast) {
    Awaitility.await()
        .atMost(Duration.ofSeconds(60))
        .ignoreExceptions()
        .until(() -> sql.number("SELECT MAX(keys_read) FROM bloom_replacement") >= atLeast);
  }

  /** As a process that was killed is taken for dead after a while. */
  private void letTheOwnerLookDead() throws SQLException {
    assertThat(sql.run("UPDATE bloom_replacement SET updated_at = updated_at - INTERVAL 1 MINUTE"))
        .isEqualTo(1);
  }

  @Test
  void aFilterGrowsFromTheFileOfItsKeys() throws Exception {
    String log =
        IntStream.range(0, 3000)
            .mapToObj(i -> "GET,page " + i % 1500 + "\nno key\n")
            .collect(Collectors.joining());
    String file = file("access.log", log);
    String dedup = "dedup pages --key-field 2 --delimiter , " + file;
    slotbloom.run("reserve pages --capacity 1_000 --fpp 1e-6").succeeded();
    slotbloom.run(dedup).succeeded();
    assertThat(generations("pages")).as("it grew").hasSize(2);

    Result grown =
        slotbloom
            .run("grow pages --capacity 9_000 --from " + file + " --key-field 2 --delimiter ,")
            .succeeded();

    assertThat(grown.out()).isEmpty();
    assertThat(grown.err())
        .contains("pages: replaced by one with a capacity of 9,000 keys, ")
        .hasLineCount(1);
    assertThat(generations("pages")).hasSize(1);
    assertThat(slotbloom.out(dedup).lines().distinct()).containsExactly("no key");
    assertThat(slotbloom.out("info pages"))
        .containsPattern("\n {2}Keys +[1-9][\\d,]+ of 9,000 ")
        .containsPattern("\nGeneration \\d+\n {2}Capacity +9,000 keys\n")
        .containsPattern("\n {2}Bits +[1-9][\\d,]+, \\d+\\.\\d % set; ")
        .containsPattern(
            "\n"
                + " {2}False positive rate +\\d\\.\\de-\\d+ now; target 1\\.0e-06 \\(1 in"
                + " 1,000,000\\)\n");
  }

  @Test
  void aFilterGrowsFromAQueryOnItsOwnDatabase() throws Exception {
    sql.run("CREATE TABLE done (id BIGINT PRIMARY KEY, label VARCHAR(9) CHARACTER SET latin1)");
    sql.run("INSERT INTO done VALUES (-5, 'é'), (7, 'b'), (42, 'ü')");
    slotbloom.run("reserve ids --capacity 100 --key-type long").succeeded();
    slotbloom.run("add ids --key-type long -- -5 7 42").succeeded();
    slotbloom.run("reserve labels --capacity 100").succeeded();
    slotbloom.run("add labels é b ü").succeeded();
    String ids = "SELECT id FROM done ORDER BY id";

    assertThat(growFrom(slotbloom, ids, "ids --capacity 5_000").failed(2).err())
        .contains("--key-type long");
    growFrom(slotbloom, ids, "ids --capacity 5_000 --key-type long").succeeded();
    growFrom(slotbloom, "SELECT label FROM done", "labels --capacity 5_000").succeeded();

    slotbloom.run("exists ids --key-type long -- -5 7 42").ended(0);
    slotbloom.run("exists labels é b ü").ended(0);
    assertThat(generations("ids")).hasSize(1);
  }

  @Test
  void aFilterGrowsFromAQueryOnAnotherDatabase() throws Exception {
    sql.run("CREATE TABLE done (id BIGINT PRIMARY KEY)");
    sql.run("INSERT INTO done VALUES (1), (2)");
    TestAccount reader = schema.createAccount("SELECT");
    slotbloom.run("reserve ids --capacity 100").succeeded();
    slotbloom.run("add ids 1 2").succeeded();
    String query = "SELECT id FROM done";
    String grow =
        "ids --capacity 5000 --source-url " + schema.url() + " --source-user " + reader.user();

    InProcess wrong = slotbloom.with("SLOTBLOOM_SOURCE_PASSWORD", "hush");
    assertThat(growFrom(wrong, query, grow).failed(1).err())
        .contains("as " + reader.user(), "Access denied")
        .doesNotContain("hush");
    assertThat(status("ids")).as("nothing was begun").isEmpty();
    InProcess away =
        slotbloom.with(
            "SLOTBLOOM_SOURCE_URL", "jdbc:mysql://me:hush@127.0.0.1:1/x?connectTimeout=2000");
    assertThat(growFrom(away, query, "ids --capacity 5000 --timeout 1").failed(5).err())
        .contains("jdbc:mysql://127.0.0.1:1/x", "as me")
        .doesNotContain("hush");

    growFrom(slotbloom.with("SLOTBLOOM_SOURCE_PASSWORD", reader.password()), query, grow)
        .succeeded();
    slotbloom.run("exists ids 1 2").ended(0);
    assertThat(generations("ids")).hasSize(1);
  }

  @Test
  void aFilterGrowsFromItsOwnJournal() throws Exception {
    slotbloom.run("reserve kept --capacity 1_000 --retain-hashes").succeeded();
    slotbloom.runOn(numbers(0, 2_000), "add kept").succeeded();

    slotbloom.run("grow kept --capacity 20_000 --from-journal").succeeded();

    assertThat(slotbloom.outOn(numbers(0, 2_000), "exists kept")).doesNotContain("0\t");
    assertThat(generations("kept")).hasSize(1);
    slotbloom.run("reserve plain --capacity 1_000").succeeded();
    assertThat(slotbloom.error(2, "grow plain --capacity 5000 --from-journal"))
        .contains("plain", "retained hashes");
  }

  @Test
  void aGrowthThatWasKilledGoesOnWhereItWas() throws Exception {
    String file = file("words", numbers(0, 30_000));
    slotbloom.run("dedup words --capacity 40_000 " + file).succeeded();
    String grow = "grow words --capacity 100_000 --from " + file;

    // By another name of the same file.
    Running killed =
        launcher.startOn(
            new byte[0], "grow words --capacity 100_000 --from words --rate 1000".split(" "));
    awaitKeysRead(1000);
    assertThat(slotbloom.error(1, grow)).contains("words is being replaced by another process");
    Map<String, Object> status = status("words");
    killed.process().destroyForcibly().waitFor();

    assertThat(status)
        .containsEntry("filter", "words")
        .containsEntry("phase", "replaying")
        .containsEntry("keysBefore", 30_000)
        .containsEntry("generation", 2)
        .containsEntry("capacity", 100_000)
        .containsEntry("source", "file " + Path.of(file).toRealPath())
        .containsKeys("begunAt", "updatedAt");
    long before = ((Number) status("words").get("keysRead")).longValue();
    assertThat(before).isBetween(1000L, 29_999L);
    assertThat(slotbloom.out("info words")).containsPattern("\nGeneration \\d, being filled\n");
    assertThat(slotbloom.out("grow words --status"))
        .containsPattern("keysRead +" + before + "\n")
        .containsPattern("updatedAt .*Z \\(\\d+ s ago\\)\n");
    slotbloom.run("add words meanwhile").succeeded();

    letTheOwnerLookDead();
    sql.run("CREATE TABLE told (keys_read BIGINT)");
    sql.run(
        "CREATE TRIGGER tell AFTER UPDATE ON bloom_replacement FOR EACH ROW"
            + " INSERT INTO told VALUES (NEW.keys_read)");
    slotbloom.run(grow).succeeded();

    assertThat(sql.number("SELECT keys_read FROM told LIMIT 1")).as("goes on").isEqualTo(before);
    assertThat(slotbloom.out("dedup words " + file)).isEmpty();
    slotbloom.run("exists words meanwhile").ended(0);
    assertThat(generations("words")).hasSize(1);
    assertThat(status("words")).isEmpty();
    assertThat(slotbloom.out("grow words --status"))
        .isEqualTo("Filter words is not being replaced.\n");
  }

  @Test
  void aGrowthThatIsInterruptedSaysHowToGoOn() throws Exception {
    // 26 MB, more than lies in buffers: nobody waits until the driver has read all of it.
    sql.run("CREATE TABLE many (n BIGINT PRIMARY KEY AUTO_INCREMENT, filling VARCHAR(1700))");
    sql.run("INSERT INTO many VALUES (1, REPEAT('x', 1700))");
    for (int doubled = 1; doubled < 1 << 14; doubled *= 2) {
      sql.run("INSERT INTO many (filling) SELECT filling FROM many");
    }
    String many = "SELECT n, filling FROM many ORDER BY n";
    slotbloom.run("reserve x --capacity 100").succeeded();
    slotbloom.run("add x 1").succeeded();

    Running running =
        launcher.startOn(
            new byte[0], "grow", "x", "--capacity", "9000", "--query", many, "--rate", "1000");
    awaitKeysRead(500);
    running.process().destroy();

    assertThat(running.await().ended(143).err())
        .contains("The replacement of filter x was interrupted (replaying: ")
        .contains("The same command continues", "slotbloom grow x --abort")
        .hasLineCount(1);
    growFrom(slotbloom, "SELECT n FROM many LIMIT 5", "x --capacity 9000").succeeded();
    slotbloom.run("exists x 1").ended(0);
  }

  @Test
  void aGrowthThatLacksKeysIsRefusedGivenUpOrForced() throws Exception {
    String all = file("all", "a\nb\nc\n");
    String few = file("few", "a\nb\na\n");
    slotbloom.run("reserve x --capacity 100 --fpp 1e-6").succeeded();
    slotbloom.run("dedup x " + all).succeeded();
    String grow = "grow x --capacity 5000 --from " + few;

    assertThat(slotbloom.error(1, grow))
        .contains(
            "Filter x was not replaced: 3 keys", "file ", "has only 2", "capacity of 100 keys")
        .contains("--force", "slotbloom grow x --abort");
    assertThat(slotbloom.out("info x"))
        .containsPattern("\n {2}Keys +\\d+ of 100 ")
        .containsPattern("\n {2}Being replaced +by one with a capacity of 5,000 keys\n");
    assertThat(status("x")).containsEntry("phase", "verifying");
    assertThat(slotbloom.run("grow x --abort").succeeded().err())
        .contains("The replacement of filter x was aborted");
    assertThat(slotbloom.run("grow x --abort").succeeded().err())
        .contains("Filter x is not being replaced");
    slotbloom.run("exists x a b c").ended(0);
    assertThat(generations("x")).hasSize(1);

    slotbloom.run(grow + " --force").succeeded();
    assertThat(slotbloom.run("exists x a b c").ended(3).out()).isEqualTo("1\ta\n1\tb\n0\tc\n");
  }

  @Test
  void aGrowthNamesALineThatIsNoKeyAndGoesOnOnceItIsMended() throws Exception {
    String file = file("ids", "1\n2\nthree\n4\n");
    slotbloom.run("reserve ids --capacity 100 --key-type long").succeeded();
    slotbloom.run("add ids --key-type long 1 2 4").succeeded();
    String grow = "grow ids --capacity 5000 --from " + file + " --key-type long";

    assertThat(slotbloom.error(1, grow))
        .contains(file + ", line 3: 'three' is not a whole number", "run the command again");
    file("ids", "1\n2\n4\n");
    slotbloom.run(grow).succeeded();

    slotbloom.run("exists ids --key-type long 1 2 4").ended(0);
    assertThat(failureOfGrowingFrom("SELECT NULL")).contains("NULL");
    assertThat(failureOfGrowingFrom("SELECT 'x'")).contains("'x' is not a whole number");
    assertThat(failureOfGrowingFrom("SELECT nothing")).contains("Unknown column 'nothing'");
    slotbloom.run("grow ids --abort").succeeded();
  }

  private String failureOfGrowingFrom(String query) {
    return growFrom(slotbloom, query, "ids --capacity 9000 --key-type long").failed(1).err();
  }

  @Test
  void anOperatorMakesAndDropsTheTables() throws Exception {
    String file = file("keys", "a\nb\n");
    slotbloom.run("reserve x --capacity 100").succeeded();
    slotbloom.run("dedup x " + file).succeeded();
    InProcess least = withoutDdl();
    String grow = "grow x --capacity 5000 --from " + file;

    assertThat(least.error(1, grow)).contains(sql.slots("x", 2), "CREATE");
    assertThat(status("x")).isEmpty();
    sql.runScript(least.out(grow + " --dry-run"));
    assertThat(least.error(1, grow))
        .contains(sql.slots("x", 1), "could not be dropped", "x was replaced, but");
    assertThat(generations("x")).hasSize(1);
    least.run("exists x a b").ended(0);
    slotbloom.run("grow x --abort").succeeded();

    assertThat(schema.slotTables("x")).containsExactly(sql.slots("x", 2));
    least.run("exists x a b").ended(0);
  }

  @Test
  @ExpectedLog(KnownLogs.SELF_GROWTH_FAILED)
  void commandsWarnOfASaturatedFilterUntilItCanGrow() throws Exception {
    InProcess least = withoutDdl();
    slotbloom.run("reserve s --capacity 1000 --fpp 0.001").succeeded();
    Result first = least.run("dedup", "s", file("first", numbers(0, 30_000))).ended(7);
    assertThat(first.err()).contains("cannot grow automatically", "far above its target");

    sql.runScript(slotbloom.out("grow s --capacity 2000000 --dry-run"));
    String fresh = file("second", numbers(100_000, 101_000));
    Result second = least.run("dedup s " + fresh).ended(7);
    // It takes nearly all of them for seen, and whoever reads the output has to know that.
    assertThat(second.out().lines().count()).isLessThan(1000);
    assertThat(second.err()).contains("far above its target", "grow s --capacity");
    assertThat(sql.number("SELECT capacity FROM bloom_filter WHERE name = 's'"))
        .isGreaterThan(1000);

    assertThat(least.run("add s x").ended(0).err()).contains("far above its target");
    slotbloom
        .run("grow", "s", "--capacity", "100000", "--from", file("first", numbers(0, 30_000)))
        .succeeded();
    assertThat(least.run("dedup s " + fresh).ended(0).out().lines()).hasSizeGreaterThan(990);
  }

  @Test
  void aTerminalShowsTheProgressOfAGrowth() throws Exception {
    assumeThat(launcher.shell("command -v script").exitCode()).isZero();
    String file = file("keys", numbers(0, 4000));
    slotbloom.run("dedup x --capacity 9000 " + file).succeeded();

    Result shown =
        launcher.shell(
            "script -qec '\"$SLOTBLOOM\" grow x --capacity 20000 --from keys --rate 2000"
                + " >/dev/null' /dev/null </dev/null");

    assertThat(shown.ended(0).out())
        .contains("Waiting until every process writes to the new generation")
        .containsPattern(
            "\\[#+\\.+\\] +\\d+ %  replaying: [\\d,]+ of 4,000 keys, [\\d,]+ keys/s, 0:00:0\\d"
                + " left");
  }
}
