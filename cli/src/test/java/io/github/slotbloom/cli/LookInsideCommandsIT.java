package io.github.slotbloom.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.slotbloom.testing.DatabaseContract;
import java.nio.file.Files;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A filter is looked into and verified from the command line. */
@DatabaseContract(onOne = true)
@Tag("e2e")
class LookInsideCommandsIT extends OnSchema {

  @Test
  void verifyFindsDamageTellsItByTheExitCodeAndRepairsIt() throws Exception {
    String file = Files.writeString(directory.resolve("keys"), "1 a\n2 b\n3 c\n").toString();
    slotbloom.run("dedup words --capacity 100 --key-field 2 " + file).succeeded();
    String verify = "verify words --keys " + file + " --key-field 2";
    assertThat(slotbloom.out(verify))
        .contains("given-keys          keys: 3\n", "Filter words is sound");

    sql.run("DELETE FROM " + sql.slots("words", 1));
    assertThat(slotbloom.run(verify).ended(6).out())
        .contains(
            "DAMAGE     bits-missing in " + sql.slots("words", 1),
            "DAMAGE     key-missing: found key 1 of file ");
    assertThat(slotbloom.out("inspect words --key a")).contains("  NO\n", "It is not a member");
    assertThat(slotbloom.out("verify words --repair --json"))
        .contains("\"sound\":true", "\"repaired\":[\"The bits of 3 recorded hashes");
    assertThat(slotbloom.out("inspect words --ascii"))
        .contains(
            "words: layout blocked, key type text, 3 keys, capacity 100",
            "generation 1",
            "each mark is");
    assertThat(slotbloom.error(2, "verify words --key-field 2")).contains("--key-field", "--keys");
  }
}
