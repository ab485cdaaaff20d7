package io.github.slotbloom.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.jr.ob.JSON;
import io.github.slotbloom.testing.DatabaseContract;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Filters go into files and out of them, and into each other, from the command line. */
@DatabaseContract(onOne = true)
@Tag("e2e")
class SnapshotCommandsIT extends OnSchema {

  @Test
  void filtersAreExportedImportedCopiedMergedAndCompared() throws Exception {
    String file = directory.resolve("a.bloom").toString();
    String nowhere = directory.resolve("missing").resolve("a").toString();
    slotbloom.run("reserve a --capacity 1000").succeeded();
    slotbloom.run("add a x y").succeeded();
    slotbloom.run("export a " + file).succeeded();
    byte[] export = Files.readAllBytes(Path.of(file));
    assertThat(slotbloom.error(1, "export a " + file)).contains(file, "--force");
    assertThat(slotbloom.error(1, "export a " + nowhere))
        .contains("Cannot write " + nowhere + ": its directory does not exist");
    slotbloom.run("import b " + file).succeeded();
    assertThat(slotbloom.error(1, "import b " + file)).contains("b already exists");
    assertThat(slotbloom.errorOn(1, "key\n", "import c -"))
        .contains("Cannot import standard input: ", "not an exported filter");
    slotbloom.runOn(slotbloom.run("export b -").succeeded().bytes(), "import c -").succeeded();
    slotbloom.run("copy c d").succeeded();
    assertThat(slotbloom.out("export d " + file + " --force")).isEmpty();
    assertThat(Files.readAllBytes(Path.of(file))).isNotEqualTo(export);

    slotbloom.run("add a z").succeeded();
    slotbloom.run("merge a INTO d").succeeded();
    assertThat(slotbloom.out("exists d x y z")).isEqualTo("1\tx\n1\ty\n1\tz\n");
    slotbloom.run("merge c d").succeeded();
    assertThat(slotbloom.error(2, "merge a onto d")).contains("into TARGET");
    String similarity = slotbloom.out("compare c d --json");
    assertThat(JSON.std.mapFrom(similarity))
        .containsAllEntriesOf(
            Map.of(
                "first", "c", "second", "d", "firstKeys", 2, "secondKeys", 3, "intersection", 2));
    slotbloom.run("reserve other --capacity 2000").succeeded();
    assertThat(slotbloom.error(1, "merge other into a"))
        .contains("other has a generation of ", "and a has none of that size");
  }

  @Test
  void aCopyIsBroughtUpToDateByWhatCameSince() throws Exception {
    String base = directory.resolve("base").toString();
    String delta = directory.resolve("delta").toString();
    slotbloom.run("reserve a --capacity 1000").succeeded();
    slotbloom.run("add a x y").succeeded();
    slotbloom.run("export a " + base).succeeded();
    slotbloom.run("import b " + base).succeeded();
    slotbloom.run("reserve one --capacity 1000").succeeded();
    slotbloom.run("add one x").succeeded();
    byte[] one = slotbloom.run("export one -").succeeded().bytes();
    assertThat(slotbloom.runOn(one, "import two -").succeeded().err())
        .contains("two: imported from standard input, has 1 key.");
    slotbloom.run("add a z").succeeded();
    slotbloom.run("export a " + delta + " --since " + base).succeeded();
    assertThat(slotbloom.error(1, "import c " + delta)).contains("no filter c", "goes to entry 1");
    slotbloom.run("import b " + delta).succeeded();
    assertThat(slotbloom.out("exists b x y z")).isEqualTo("1\tx\n1\ty\n1\tz\n");

    slotbloom.run("add a w").succeeded();
    byte[] since = slotbloom.run("export a - --since 2").succeeded().bytes();
    slotbloom.runOn(since, "import b -").succeeded();
    slotbloom.runOn(since, "import b -").succeeded();
    assertThat(slotbloom.run("exists b w v").ended(ExitCode.NO).out()).isEqualTo("1\tw\n0\tv\n");
    slotbloom.run("add b v").succeeded();
    slotbloom.run("add a u").succeeded();
    slotbloom.run("export a " + delta + " --force --since 3").succeeded();
    assertThat(slotbloom.error(1, "import b " + delta)).contains("b cannot take this delta");

    slotbloom.run("clear a --yes").succeeded();
    assertThat(slotbloom.error(1, "export a - --since " + base))
        .contains("since base, which holds filter a of ", "a clear", "Make a full export.");
    Files.writeString(Path.of(delta), "key");
    assertThat(slotbloom.error(1, "export a - --since " + delta))
        .contains("Cannot continue " + delta, "not an export");
    assertThat(slotbloom.error(1, "export a - --since " + delta + "2"))
        .contains("Cannot read " + delta + "2: there is no such file.");
  }
}
