package io.github.slotbloom.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.slotbloom.cli.Slotbloom.Result;
import java.nio.file.Files;
import java.nio.file.Path;
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

  @BeforeEach
  void begin() {
    slotbloom = new Slotbloom(directory);
  }

  @Test
  void helpAndVersionAreResults() throws Exception {
    Result version = slotbloom.run("--version").succeeded();
    Result help = slotbloom.run("dedup", "--help").succeeded();

    assertThat(version.out()).matches("slotbloom \\d+\\.\\d+\\.\\d+.*\n");
    assertThat(version.err()).isEmpty();
    assertThat(help.out()).contains("--key-field", "--capacity", "--url");
    assertThat(help.err()).isEmpty();
  }

  @Test
  void runsFromAnyDirectoryThroughSymbolicLinks() throws Exception {
    Files.createDirectory(directory.resolve("bin"));
    slotbloom.shell("ln -s \"$SLOTBLOOM\" bin/one && ln -s one bin/two").succeeded();

    assertThat(slotbloom.shell("cd / && " + directory + "/bin/two --version").succeeded().out())
        .startsWith("slotbloom ");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "reserve|Missing required",
        "reserve x|--capacity",
        "reserve x --capacity 1e6|'1e6' is not a number of keys",
        "reserve x --capacity -5|'-5' is not a number of keys",
        "reserve x --capacity 9 --fpp often|'often' is not a rate",
        "reserve x --capacity 9 --layout round|'round' is none of standard, blocked",
        "reserve x --capacity 9 --write-mode no|'no' is none of deferred, write-through",
        "list --nonsense|--nonsense",
        "frobnicate|frobnicate",
        "list --url jdbc:postgresql://x/y|jdbc:mysql://",
        "list --url jdbc:mysql://x/y --home z|--home",
        "list --user me|--url",
      })
  void whatMakesNoSenseIsAUsageError(String arguments, String message) throws Exception {
    Result result = slotbloom.run(arguments.split(" "));

    assertThat(result.failed(2).err()).contains(message);
  }

  @Test
  void aServerThatIsNotThereIsNamedAndThePasswordIsNot() throws Exception {
    Result result =
        slotbloom
            .run("list", "--url", "jdbc:mysql://me:hush@127.0.0.1:1/x?connectTimeout=2000")
            .failed(1);

    assertThat(result.err()).contains("jdbc:mysql://127.0.0.1:1/x").doesNotContain("hush");
  }

  @Test
  void verboseShowsTheCause() throws Exception {
    String[] arguments = {"list", "--url", "jdbc:mysql://127.0.0.1:1/x"};

    assertThat(slotbloom.run(arguments).err()).doesNotContain("\tat ");
    assertThat(
            slotbloom.shell("\"$SLOTBLOOM\" " + String.join(" ", arguments) + " --verbose").err())
        .contains("Caused by:");
  }

  @Test
  void withoutAnyPlaceForAHomeItSaysSo() throws Exception {
    Result result =
        slotbloom.shell("unset HOME XDG_CACHE_HOME; exec \"$SLOTBLOOM\" list").failed(2);

    assertThat(result.err()).contains("HOME", "--home", "--url");
  }
}
