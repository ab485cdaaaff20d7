package io.github.slotbloom.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.slotbloom.cli.Slotbloom.Result;
import io.github.slotbloom.testing.DatabaseContract;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What a command does when a stream is closed, full or endless. */
@DatabaseContract(migrated = true, onOne = true)
@Tag("e2e")
class StreamsIT extends OnSchema {

  @Test
  void aStreamThatIsClosedIsNeitherReadNorOverwritten() throws Exception {
    assertThat(launcher.shell("\"$SLOTBLOOM\" dedup closed --capacity 10 <&-").succeeded().bytes())
        .isEmpty();
    assertThat(launcher.shell("echo a | \"$SLOTBLOOM\" dedup closed >&-").failed(1).err())
        .contains("Standard output is closed");
    assertThat(launcher.shell("echo a | \"$SLOTBLOOM\" dedup closed 2>&-").succeeded().out())
        .isEqualTo("a\n");
  }

  @Test
  void dedupIntoAFullDeviceFails() throws Exception {
    Result result =
        launcher.shell("seq 1000 | \"$SLOTBLOOM\" dedup full --capacity 10000 >/dev/full");

    assertThat(result.exitCode()).isEqualTo(1);
    assertThat(result.err())
        .contains("Cannot write to standard output: No space left on device.")
        .contains(
            "1,000 new keys are recorded and may", "printed: standard input, line 1 to 1000. ")
        .hasLineCount(1);
  }

  @Test
  void addTellsHowManyKeysItRecordedIfItCannotPrint() throws Exception {
    slotbloom.run("reserve added --capacity 100").succeeded();
    Result result = launcher.shell("\"$SLOTBLOOM\" add added a b a >/dev/full");
    Result asked = launcher.shell("\"$SLOTBLOOM\" exists added a >/dev/full");

    assertThat(result.ended(1).err()).contains("2 new keys are recorded", "printed: key 1 to 3.");
    assertThat(asked.ended(1).err())
        .contains("Cannot write to standard output")
        .doesNotContain("recorded");
  }

  @Test
  void dedupEndsQuietlyWhenItsReaderLeaves() throws Exception {
    Result result =
        launcher.shell(
            "{ seq 400000 | \"$SLOTBLOOM\" dedup left --capacity 2000000; echo $? >code; } | head -n"
                + " 1");

    assertThat(result.out()).isEqualTo("1\n");
    assertThat(Files.readString(directory.resolve("code"))).isEqualTo("141\n");
    assertThat(result.err()).doesNotContain("Broken pipe");
  }

  @Test
  void inputWithoutLinesEndsDedupInLittleMemory() throws Exception {
    Result endless =
        launcher
            .with("JDK_JAVA_OPTIONS", "-Xmx400m")
            .shell("{ echo a; cat /dev/zero; } | \"$SLOTBLOOM\" dedup endless --capacity 1000");
    Path zeros = Files.write(directory.resolve("zeros"), new byte[3_000_000]);

    assertThat(endless.ended(1).out()).isEqualTo("a\n");
    assertThat(endless.err()).contains("standard input, line 2: the line has more than 64.0 MiB");
    assertThat(slotbloom.error(1, "dedup endless /proc/self/mem"))
        .contains("Cannot read /proc/self/mem: ");
    assertThat(slotbloom.error(1, "dedup endless " + zeros))
        .contains("zeros, line 1: the key has 3000000 bytes", "--key-field");
  }

  @Test
  void moreKeysMayBeArgumentsThanATransactionTakes() throws Exception {
    slotbloom.run("reserve many --capacity 40000 --fpp 1e-9").succeeded();

    Result added = launcher.shell("\"$SLOTBLOOM\" add many $(seq 1 40000)").succeeded();

    assertThat(added.out().lines()).hasSize(40_000).allMatch(line -> line.startsWith("1\t"));
  }
}
