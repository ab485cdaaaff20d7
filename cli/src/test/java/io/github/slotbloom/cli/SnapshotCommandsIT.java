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
    assertThat(slotbloom.error(1, "import b " + file)).contains("b exists");
    assertThat(slotbloom.errorOn(1, "key\n", "import c -"))
        .contains("Cannot import standard input: ", "not an export");
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
        .contains("other has a generation of ", "and a has no such one");
  }
}
