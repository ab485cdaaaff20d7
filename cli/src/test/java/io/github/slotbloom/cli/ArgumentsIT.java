package io.github.slotbloom.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.assertj.core.data.Percentage.withPercentage;

import com.fasterxml.jackson.jr.ob.JSON;
import io.github.slotbloom.cli.Slotbloom.Result;
import io.github.slotbloom.cli.terminal.Terminal;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;

/** What needs no database: the launcher itself, help, and arguments that make no sense. */
@Tag("e2e")
class ArgumentsIT {

  @TempDir Path directory;

  private Slotbloom slotbloom;
  private InProcess here;

  @BeforeEach
  void begin() {
    slotbloom = new Slotbloom(directory);
    here = new InProcess(directory);
  }

  @Test
  void theLauncherRunsFromAnyDirectoryThroughSymbolicLinks() throws Exception {
    Files.createDirectory(directory.resolve("bin"));
    slotbloom.shell("ln -s \"$SLOTBLOOM\" bin/one && ln -s one bin/two").succeeded();

    Result version = slotbloom.shell("cd / && " + directory + "/bin/two --version").succeeded();
    assertThat(version.out()).matches("slotbloom \\d+\\.\\d+\\.\\d+.*\n");
    assertThat(version.err()).isEmpty();
  }

  @Test
  void tooFewOpenFilesAreToldInASentence() throws Exception {
    Result few = slotbloom.shell("ulimit -n 20; \"$SLOTBLOOM\" --version");
    assertThat(few.failed(1).err())
        .isEqualTo(
            "slotbloom: Only 20 files may be open at once (ulimit -n), and Java needs more; allow"
                + " 256 or more.\n");
    slotbloom.shell("ulimit -S -n 20; \"$SLOTBLOOM\" --version").succeeded();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "reserve|Missing required",
        "reserve x|--capacity",
        "reserve x --capacity 1e18|'1e18' is not a number of keys",
        "reserve x --capacity 1.5M|'1.5M' is not a number of keys",
        "dedup x --key-field 1,2|'1,2' is not a field number; to use several fields",
        "reserve x --capacity 9 --seed two|whole number",
        "reserve x --capacity -5|'-5' is not a number of keys",
        "reserve x --capacity 9 --fpp often|'often' is not a rate",
        "reserve x --capacity 9 --layout round|'round' is not one of standard, blocked",
        "reserve x --capacity 9 --on-full burst|'burst' is not one of grow, refuse, degrade",
        "reserve x --capacity 9 --fixed --on-full grow|cannot grow when it is full. Set on-full to"
            + " refuse or degrade",
        "reserve x --capacity 9 --hash md5|'md5' is not one of xxh3_64, murmur3_128, siphash24,"
            + " sha256",
        "reserve x --capacity 9 --hash murmur3_128 --seed -1|0 to 4294967295, not -1",
        "list --nonsense|--nonsense' (try",
        "exists x --nonsense|'--nonsense'; put -- before a key that begins with a hyphen",
        "frobnicate|There is no command 'frobnicate'",
        "exist x|There is no command 'exist'; did you mean exists? (try: slotbloom --help)",
        "list --url jdbc:postgresql://x/y|jdbc:mysql://",
        "list --url jdbc:mariadb://x/y|connects to MariaDB too: write jdbc:mysql:// instead",
        "list --url jdbc:mysql://x/y --home z|--home",
        "list --user me|--url",
        "list --password-file p|--url",
        "list --url jdbc:mysql://me:hush@x/y|--password-file",
        "list --url jdbc:mysql://x/y?password=hush|--password-file",
        "list --url jdbc:mysql://x/y --password|terminal",
        "list --url jdbc:mysql://x/y --password=hush|takes no value",
        "list --url jdbc:mysql://x/y --password hush|takes no value",
        "list --url jdbc:mysql://x/y?p%61ssword=hush|--password-file",
        "list --url jdbc:mysql://x:3306/|names no schema",
        "dedup x - -|Standard input can be read only once",
        "list --url jdbc:mysql://x/y --password-file none|There is no password file none",
        "list --url jdbc:mysql://x/y --timeout 0|--timeout",
        "list --url jdbc:mysql://x/y --timeout soon|soon",
        "reserve x --capacity 99999999999999999999|is not a number of keys",
        "reserve x --capacity 1_|'1_' is not a number of keys",
        "reserve x --capacity 9 --key-type words|'words' is not one of text, long, hex",
        "dedup x --key-field 0|--key-field",
        "dedup x --delimiter ,|--key-field",
        "plan --capacity 0|capacity is 0; use",
        "plan --capacity 9 --fpp 2|The false positive rate is 2.0",
        "grow x|--capacity is missing",
        "grow x --from f|--capacity is missing",
        "grow x --status --abort|mutually exclusive",
        "grow x --capacity 9 --from a --query b|mutually exclusive",
        "grow x --capacity 9 --status|--capacity does not go with --status",
        "grow x --abort --json|--json does not go with --abort",
        "grow x --capacity 9 --rate 5|--rate goes with --from or --from-journal or --query alone",
        "grow x --capacity 9 --query q --key-field 2|--key-field does not go with --query",
        "grow x --capacity 9 --from-journal --key-type long|--key-type does not go with",
        "grow x --capacity 9 --from f --source-user me|--source-user does not go with --from",
        "grow x --capacity 9 --from f --delimiter ,|--key-field",
        "grow x --capacity 9 --from -|cannot come from standard input",
        "grow x --capacity 9 --query q --source-user me|require --source-url",
        "grow x --capacity 9 --query q --source-url"
            + " jdbc:mysql://me:hush@x/y|--source-password-file",
        "grow x --capacity 9 --query q --source-url jdbc:mysql://x/y --source-password|terminal",
        "grow x --capacity 9 --query q --source-password=hush|takes no value",
        "grow x --capacity 9 --from-journal --rate 0|at least 1 key per second",
        "grow x --capacity 9 --from-journal --rate fast|'fast' is not a number of keys",
        "reserve x --capacity 9 --removable=0|'0' is not a percentage",
        "dedup x --capacity 9 --removable=half|'half' is not a percentage",
        "reserve x --removable 5 --capacity 9|Unmatched argument",
        "completion tcsh|tcsh",
        "reserve f --capacity 9 --renew|--window",
        "reserve f --capacity 9 --buckets 7|--window",
        "reserve f --capacity 9 --window 7|90s, 30m, 12h or 7d",
        "reserve f --capacity 9 --window 7d --buckets 0|1 to 96",
        "reserve f --capacity 9 --window 7d --buckets 97|1 to 96",
        "reserve f --capacity 9 --window 7d --buckets x|--buckets",
        "reserve f --capacity 9 --window 5s --buckets 10|A window of 5s cannot have 10 buckets,"
            + " because a bucket lasts 1 second to 366 days.",
        "reserve f --capacity 9 --window 7d --buckets 11|A window of 7d does not divide into 11",
        "reserve f --capacity 9 --window 7d --retain-hashes|retain hashes",
        "dedup f --window 7d --buckets 97|1 to 96",
        "dedup f --renew|--window",
        "plan --capacity 9 --buckets 7|--window",
        "list --expires --windows|--expires does not go with --windows",
        "expire f|(--at=TIME | --in=SPAN | --never)",
        "expire f --at tomorrow|'tomorrow' is not a time; write it in UTC",
        "expire f --at 2027-01-31|not a time",
        "expire f --at 2027-01-31T00:00:00|not a time",
        "expire f --in 7|not a time span; write it as 90s, 30m, 12h or 7d",
        "expire f --in -7d|not a time span; write it as 90s, 30m, 12h or 7d",
        "expire f --in 0d|not a time span; write it as 90s, 30m, 12h or 7d",
        "expire f --in 7w|not a time span; write it as 90s, 30m, 12h or 7d",
        "expire f --in 1d --never|mutually exclusive",
        "reserve f --capacity 9 --expires-in 1d --expires-at 2090-01-01T00:00:00Z|mutually"
            + " exclusive",
      })
  void wrongArgumentsAreUsageErrors(String line, String message) {
    assertThat(here.error(2, line)).contains(message).doesNotContain("hush");
  }

  /** None of these begins to make a database, which takes a while and says so. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "reserve a\u001b[31mb --capacity 9|2|but this one is \"a\\u001B[31mb\".",
        "drop a\u0007b|2|but this one is \"a\\u0007b\".",
        "add  key|2|but this one is \"\".",
        "frob\u001b[31m|2|no command 'frob?[31m'",
        "dedup x .|1|Cannot read .: it is a directory.",
        "dedup x /no/such/file|1|Cannot read /no/such/file: there is no such file.",
        "dedup x  -|1|the file name is empty",
        "grow x --capacity 9 --from /no/such/file|1|there is no such file.",
        "grow x --capacity 9 --from /dev/null|1|Cannot read /dev/null more than once",
        "add x --key-type long \u001b[31m|2|'?[31m' is not a whole number",
        "export x . --force|1|Cannot write .: it is not a regular file. Use another name",
        "export x .|1|Cannot write .: it is not a regular file. Use another name",
        "export x - --since /no/such/file|1|Cannot read /no/such/file: there is no such file.",
        "export x - --since .|1|Cannot read .: it is a directory.",
        "export x - --since  --force|1|the file name is empty",
        "export x - --since -|2|standard input is neither",
        "export x - --since -5|2|--since -5 is not the number of an entry",
        "export x - --since 1234567890123456789|2|1 to 18 digits and no sign; write ./1",
      })
  void wrongInputIsToldBeforeAnythingIsDone(String line, int exitCode, String message) {
    assertThat(here.error(exitCode, line)).contains(message).doesNotContain("\u001b");
  }

  @Test
  void whatIsNoUtf8WasNotPassedOnUnchanged() throws Exception {
    assertThat(slotbloom.shell("\"$SLOTBLOOM\" dedup x \"$(printf 'a\\377')\"").failed(1).err())
        .contains("U+FFFD, so the shell or the locale changed it");
    assertThat(here.error(2, "info " + "name".repeat(999))).contains("...\" (3996 characters).");
  }

  @Test
  void aConnectionErrorNamesTheServerAndNotThePassword() {
    InProcess away =
        here.with("SLOTBLOOM_URL", "jdbc:mysql://me:hush@127.0.0.1:1/x?connectTimeout=2000");
    assertThat(away.error(5, "list --timeout 1"))
        .contains("jdbc:mysql://127.0.0.1:1/x", "as me", "Connection refused")
        .doesNotContain("hush", "\tat ");
  }

  @Test
  void verboseShowsTheCauseAndNotThePassword() {
    InProcess away = here.with("SLOTBLOOM_URL", "jdbc:mysql://me:hush@127.0.0.1:1/x?nonsense=(");
    assertThat(away.run("list --timeout 1 --verbose").ended(5).err())
        .contains("\tat ")
        .doesNotContain("hush");
    InProcess nowhere = here.with("SLOTBLOOM_URL", "jdbc:mysql://127.0.0.1:1/x");
    assertThat(nowhere.run("list --timeout 1 --verbose").err()).contains("Caused by:");
  }

  @Test
  void planNeedsNoDatabase() throws Exception {
    Result text = here.run("plan --capacity 1_000_000 --fpp 0.01").succeeded();
    String json = here.out("plan --capacity 1000000 --fpp 0.01 --fixed --json");

    assertThat(text.err()).isEmpty();
    assertThat(text.out())
        .startsWith(
            "capacity 1,000,000 keys, false positive rate 0.01, half of it reserved for growing"
                + " later\n")
        .containsPattern(" blocked +standard\n")
        // The textbook's -log2 p, rounded, of the half.
        .containsPattern("bits set per key +\\d+ +8\n")
        .containsPattern("false positive rate at 100 % +0.00500 +0.00500\n")
        .containsPattern("false positive rate at 300 % ")
        .containsPattern("memory of the mirror +[0-9.]+ MiB +[0-9.]+ MiB\n");
    Map<String, Object> plan = JSON.std.mapFrom(json);
    assertThat(plan).containsEntry("capacity", 1_000_000).containsEntry("growable", false);
    List<?> layouts = (List<?>) plan.get("layouts");
    assertThat(layouts).hasSize(2);
    Map<?, ?> standard = (Map<?, ?>) layouts.get(1);
    assertThat(standard.get("layout")).isEqualTo("standard");
    // m = -n ln p / (ln 2)^2
    assertThat(((Number) standard.get("bits")).doubleValue())
        .isCloseTo(1e6 * -Math.log(0.01) / Math.pow(Math.log(2), 2), withPercentage(0.2));
    Map<?, ?> rates = (Map<?, ?>) standard.get("falsePositiveRateAtPercent");
    assertThat(rates.keySet())
        .map(Object::toString)
        .containsExactly("50", "80", "100", "150", "200", "300");
    assertThat(((Number) rates.get("100")).doubleValue()).isCloseTo(0.01, withPercentage(1));
  }

  @Test
  void bashCompletesCommandsAndOptions() throws Exception {
    Result result =
        slotbloom.shell(
            "\"$SLOTBLOOM\" completion bash >completion && bash -c '. ./completion;"
                + " complete -p slotbloom; COMP_WORDS=(slotbloom ded); COMP_CWORD=1;"
                + " COMP_LINE=\"slotbloom ded\"; _complete_slotbloom; echo ${COMPREPLY[@]};"
                + " COMP_WORDS=(slotbloom dedup --key-f); COMP_CWORD=2;"
                + " COMP_LINE=\"slotbloom dedup --key-f\"; _complete_slotbloom;"
                + " echo ${COMPREPLY[@]}'");

    assertThat(result.succeeded().out())
        .contains("_complete_slotbloom", "\ndedup\n", "\n--key-field\n");
  }

  @Test
  @Tag("published")
  void fishCompletesCommandsOptionsAndValues() throws Exception {
    assumeThat(slotbloom.shell("command -v fish").exitCode()).isZero();
    slotbloom.shell("\"$SLOTBLOOM\" completion fish >completion.fish").succeeded();
    Files.writeString(directory.resolve("input.txt"), "");

    assertThat(fish("ded")).containsExactly("dedup");
    assertThat(fish("--timeout 5 ded")).containsExactly("dedup");
    assertThat(fish("dedup --key-f")).containsExactly("--key-field");
    assertThat(fish("info f --verb")).containsExactly("--verbose");
    assertThat(fish("reserve f --on-full ")).containsExactly("degrade", "grow", "refuse");
    assertThat(fish("completion ")).containsExactly("bash", "fish", "zsh");
    assertThat(fish("dedup f in")).containsExactly("input.txt");
    assertThat(fish("report f --html in")).containsExactly("input.txt");
    assertThat(fish("info in")).isEmpty();
  }

  /** Returns what fish proposes, without the descriptions that it shows after a tab. */
  private List<String> fish(String arguments) throws Exception {
    String line = "complete -C \"slotbloom " + arguments + "\"";
    return slotbloom
        .shell("fish --no-config -c 'source completion.fish; " + line + "'")
        .succeeded()
        .out()
        .lines()
        .map(proposal -> proposal.split("\t")[0])
        .toList();
  }

  @Test
  void helpAndCompletionKnowTheOptions() {
    for (String command : List.of("reserve", "dedup", "plan")) {
      assertThat(here.out(command + " --help"))
          .contains("--capacity", "--window", "--buckets", "--renew")
          .doesNotContain("\u001b[");
    }
    assertThat(here.out("completion"))
        .contains("\"blocked\"", "\"standard\"", "\"degrade\"", "\"hex\"", "\"zsh\"", "--windows")
        .doesNotContain("BLOCKED", "DEGRADE");
    assertThat(here.out("completion zsh"))
        .startsWith("autoload ")
        .contains("bashcompinit", "_complete_slotbloom");
    assertThat(here.out("completion fish").lines())
        .allMatch(line -> line.startsWith("complete -c slotbloom "))
        .anyMatch(line -> line.contains(" -l capacity -x -d "))
        .anyMatch(line -> line.contains(" -l on-full -x -a 'grow refuse degrade' -d "));
  }

  /** Picocli shows a text that is no format as it is, with a warning on standard error. */
  @Test
  void everyTextOfTheHelpIsAFormat() {
    PrintStream before = System.err;
    ByteArrayOutputStream warnings = new ByteArrayOutputStream();
    System.setErr(new PrintStream(warnings, true, UTF_8));
    try {
      Surroundings surroundings = Surroundings.ofProcess();
      CommandLine root = Main.commandLine(new Main(surroundings, new Termination()), surroundings);
      assertThat(root.getSubcommands().values())
          .hasSizeGreaterThan(20)
          .extracting(CommandLine::getUsageMessage)
          .noneMatch(usage -> usage.contains("%%"))
          .anyMatch(usage -> usage.contains("20 %"));
    } finally {
      System.setErr(before);
    }
    assertThat(warnings.toString(UTF_8)).doesNotContain("picocli WARN");
  }

  @Test
  void onlyTerminalsGetColors() throws Exception {
    Map<String, String> plain = Map.of("NO_COLOR", "1");
    assertThat(new Terminal("012", "", new Environment(plain)).colorsOnOutput()).isFalse();
    Map<String, String> dumb = Map.of("TERM", "dumb");
    assertThat(new Terminal("012", "", new Environment(dumb)).colorsOnOutput()).isFalse();

    assumeThat(slotbloom.shell("command -v script").exitCode()).isZero();
    assertThat(onTerminal("--help")).contains("\u001b[");
    assertThat(onTerminal("frobnicate")).contains("\u001b[1;31mslotbloom:");
  }

  /** Runs a command with a terminal as its three streams, and returns what it shows. */
  private String onTerminal(String argument) throws Exception {
    String script = "script -qec '\"$SLOTBLOOM\" " + argument + "' /dev/null </dev/null";
    return slotbloom.with("TERM", "xterm").shell(script).out();
  }

  @Test
  void aCommandSaysThatItHasNoPlaceForItsHome() {
    assertThat(here.error(2, "list --home=")).contains("--home is empty");
    assertThat(here.with("HOME", "").with("XDG_CACHE_HOME", "").error(2, "list"))
        .contains("HOME", "--home", "--url");
  }
}
