package io.github.slotbloom.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.assertj.core.data.Percentage.withPercentage;

import com.fasterxml.jackson.jr.ob.JSON;
import io.github.slotbloom.cli.Slotbloom.Result;
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
  void helpAndVersionGoToStandardOutput() throws Exception {
    Result version = slotbloom.run("--version").succeeded();
    Result help = slotbloom.run("dedup", "--help").succeeded();

    assertThat(version.out()).matches("slotbloom \\d+\\.\\d+\\.\\d+.*\n");
    assertThat(version.err()).isEmpty();
    assertThat(help.out()).contains("--key-field", "--capacity", "--url");
    assertThat(help.err()).isEmpty();
  }

  @Test
  void theLauncherRunsFromAnyDirectoryThroughSymbolicLinks() throws Exception {
    Files.createDirectory(directory.resolve("bin"));
    slotbloom.shell("ln -s \"$SLOTBLOOM\" bin/one && ln -s one bin/two").succeeded();

    assertThat(slotbloom.shell("cd / && " + directory + "/bin/two --version").succeeded().out())
        .startsWith("slotbloom ");
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
        "dedup x --key-field 1,2|'1,2' is not the number of a field; a key of several fields",
        "inspect x --generation two|whole number",
        "reserve x --capacity -5|'-5' is not a number of keys",
        "reserve x --capacity 9 --fpp often|'often' is not a rate",
        "reserve x --capacity 9 --layout round|'round' is not one of standard, blocked",
        "reserve x --capacity 9 --on-full burst|'burst' is not one of grow, refuse, degrade",
        "reserve x --capacity 9 --fixed --on-full grow|cannot grow when it is full",
        "reserve x --capacity 9 --hash md5|'md5' is not one of xxh3_64, murmur3_128, siphash24, sha256",
        "reserve x --capacity 9 --hash murmur3_128 --seed -1|0 to 4294967295, not -1",
        "list --nonsense|--nonsense' (try",
        "exists x --nonsense|'--nonsense'; give a key that begins with a hyphen after --",
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
        "plan --capacity 0|capacity is 0; give",
        "plan --capacity 9 --fpp 2|The error rate is 2.0",
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
        "grow x --capacity 9 --query q --source-user me|belong to a --source-url",
        "grow x --capacity 9 --query q --source-url jdbc:mysql://me:hush@x/y|--source-password-file",
        "grow x --capacity 9 --query q --source-url jdbc:mysql://x/y --source-password|terminal",
        "grow x --capacity 9 --query q --source-password=hush|takes no value",
        "grow x --capacity 9 --from-journal --rate 0|1 a second at least",
        "grow x --capacity 9 --from-journal --rate fast|'fast' is not a number of keys",
        "reserve x --capacity 9 --removable=0|'0' is not a percentage",
        "dedup x --capacity 9 --removable=half|'half' is not a percentage",
        "reserve x --removable 5 --capacity 9|Unmatched argument",
        "completion fish|fish",
      })
  void wrongArgumentsAreUsageErrors(String arguments, String message) throws Exception {
    Result result = here.run(arguments.split(" "));

    assertThat(result.failed(2).err()).contains(message).doesNotContain("hush");
  }

  /** None of these begins to make a database, which takes a while and says so. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "reserve \"$(printf 'a\\033[31mb')\" --capacity 9|2|but this one is \"a\\u001B[31mb\".",
        "drop \"a\\`b\"|2|but this one is \"a`b\".",
        "add '' key|2|but this one is \"\".",
        "info $(seq -s a 1000)|2|...\" (3892 characters).",
        "\"$(printf 'frob\\033[31m')\"|2|no command 'frob?[31m'",
        "dedup x .|1|Cannot read .: it is a directory.",
        "dedup x /no/such/file|1|Cannot read /no/such/file: there is no such file.",
        "dedup x ''|1|the name of the file is empty",
        "grow x --capacity 9 --from /no/such/file|1|there is no such file.",
        "grow x --capacity 9 --from /dev/null|1|Cannot read /dev/null more than once",
        "dedup x \"$(printf 'a\\377')\"|1|U+FFFD, so it was not passed on unchanged",
        "add x --key-type long \"$(printf '\\033[31m')\"|2|'?[31m' is not a whole number",
      })
  void wrongInputIsToldBeforeAnythingIsDone(String arguments, int exitCode, String message)
      throws Exception {
    Result result = slotbloom.shell("\"$SLOTBLOOM\" " + arguments).failed(exitCode);

    assertThat(result.err()).contains(message).doesNotContain("\u001b");
  }

  @Test
  void aConnectionErrorNamesTheServerAndNotThePassword() throws Exception {
    Result result =
        here.with("SLOTBLOOM_URL", "jdbc:mysql://me:hush@127.0.0.1:1/x?connectTimeout=2000")
            .run("list", "--timeout", "1")
            .failed(5);

    assertThat(result.err())
        .contains("jdbc:mysql://127.0.0.1:1/x", "as me", "Connection refused")
        .doesNotContain("hush");
  }

  @Test
  void verboseShowsTheCause() throws Exception {
    InProcess away = here.with("SLOTBLOOM_URL", "jdbc:mysql://127.0.0.1:1/x");

    assertThat(away.run("list", "--timeout", "1").err()).doesNotContain("\tat ");
    assertThat(away.run("list", "--timeout", "1", "--verbose").err()).contains("Caused by:");
  }

  @Test
  void verboseDoesNotShowThePassword() throws Exception {
    Result result =
        here.with("SLOTBLOOM_URL", "jdbc:mysql://me:hush@127.0.0.1:1/x?nonsense=(")
            .run("list", "--timeout", "1", "--verbose");

    assertThat(result.ended(5).err()).contains("\tat ").doesNotContain("hush");
  }

  @Test
  void planNeedsNoDatabase() throws Exception {
    Result text = here.run("plan", "--capacity", "1_000_000", "--fpp", "0.01").succeeded();
    Result json =
        here.run("plan", "--capacity", "1000000", "--fpp", "0.01", "--fixed", "--json").succeeded();

    assertThat(text.err()).isEmpty();
    assertThat(text.out())
        .startsWith("1,000,000 keys at an error rate of 0.01, half of which is left for growing\n")
        .containsPattern(" blocked +standard\n")
        // The textbook's -log2 p, rounded, of the half.
        .containsPattern("bits set by a key +\\d+ +8\n")
        .containsPattern("error rate at 100 % +0.00500 +0.00500\n")
        .containsPattern("error rate at 300 % ")
        .containsPattern("mirror in memory +[0-9.]+ MiB +[0-9.]+ MiB\n");
    Map<String, Object> plan = JSON.std.mapFrom(json.out());
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
  void completionOffersTheChoicesThatOptionsTake() throws Exception {
    assertThat(here.run("completion").succeeded().out())
        .contains("\"blocked\"", "\"standard\"", "\"degrade\"", "\"hex\"", "\"zsh\"")
        .doesNotContain("BLOCKED", "DEGRADE");
  }

  @Test
  void anEmptyHomeIsNotTheCurrentDirectory() throws Exception {
    assertThat(here.run("list", "--home", "").failed(2).err()).contains("--home is empty");
  }

  @Test
  void completionInZshLoadsThatOfBash() throws Exception {
    assertThat(here.run("completion", "zsh").succeeded().out())
        .startsWith("autoload ")
        .contains("bashcompinit", "_complete_slotbloom");
  }

  @Test
  void onlyTerminalsGetColors() throws Exception {
    assumeTerminalEmulator();

    assertThat(slotbloom.run("--help").out()).doesNotContain("\u001b[");
    assertThat(onTerminal("\"$SLOTBLOOM\" --help").out()).contains("\u001b[");
    assertThat(onTerminal("NO_COLOR=1 \"$SLOTBLOOM\" --help").out()).doesNotContain("\u001b[");
    assertThat(onTerminal("TERM=dumb \"$SLOTBLOOM\" --help").out()).doesNotContain("\u001b[");
    assertThat(onTerminal("\"$SLOTBLOOM\" frobnicate").out()).contains("\u001b[1;31mslotbloom:");
  }

  /** Runs a line of shell with a terminal as its three streams; what it shows is the output. */
  private Result onTerminal(String line) throws Exception {
    return slotbloom
        .with("TERM", "xterm")
        .with("LINE", line)
        .shell("script -qec \"$LINE\" /dev/null </dev/null");
  }

  private void assumeTerminalEmulator() throws Exception {
    assumeThat(slotbloom.shell("command -v script").exitCode()).isZero();
  }

  @Test
  void aCommandSaysThatItHasNoPlaceForItsHome() throws Exception {
    Result result =
        slotbloom.shell("unset HOME XDG_CACHE_HOME; exec \"$SLOTBLOOM\" list").failed(2);

    assertThat(result.err()).contains("HOME", "--home", "--url");
  }
}
