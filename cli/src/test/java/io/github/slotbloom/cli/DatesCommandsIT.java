package io.github.slotbloom.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.slotbloom.testing.DatabaseContract;
import io.github.slotbloom.testing.OddHours;
import java.time.Instant;
import org.junit.jupiter.api.Test;

/** Commands work at any time in any time zone, and tell times in UTC. */
@OddHours
@DatabaseContract
class DatesCommandsIT extends OnSchema {

  @Test
  void aFilterIsReservedFilledClearedAndDropped() throws Exception {
    String file = directory.resolve("words.bloom").toString();
    String page = directory.resolve("words.html").toString();
    slotbloom.run("reserve words --capacity 1000 --retain-hashes").succeeded();
    assertThat(slotbloom.out("add words a b a")).isEqualTo("1\ta\n1\tb\n0\ta\n");
    slotbloom.run("fold words").succeeded();
    Instant created =
        Instant.parse(
            sql.text("SELECT CONCAT(REPLACE(created_at, ' ', 'T'), 'Z') FROM bloom_filter"));
    assertThat(slotbloom.out("info words --json")).contains(created.toString());
    slotbloom.run("info words").succeeded();
    slotbloom.run("inspect words").succeeded();
    slotbloom.run("verify words").succeeded();
    slotbloom.run("report words --html " + page).succeeded();
    slotbloom.run("grow words --capacity 5000").succeeded();
    slotbloom.run("grow words --status").succeeded();
    slotbloom.run("export words " + file).succeeded();
    slotbloom.run("import again " + file).succeeded();
    assertThat(slotbloom.out("exists again a b")).isEqualTo("1\ta\n1\tb\n");
    slotbloom.run("clear words --yes").succeeded();
    assertThat(slotbloom.run("exists words a").out()).isEqualTo("0\ta\n");
    slotbloom.run("drop words --yes").succeeded();
  }
}
