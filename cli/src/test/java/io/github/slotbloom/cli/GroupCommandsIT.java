package io.github.slotbloom.cli;

import static io.github.slotbloom.cli.Lines.numbers;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import io.github.slotbloom.cli.Slotbloom.Running;
import io.github.slotbloom.testing.DatabaseContract;
import io.github.slotbloom.testing.KillableGroup;
import io.github.slotbloom.testing.TestDatabase;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Commands follow the primary of a replication group, and say so if there is none. */
@Tag("servers")
@DatabaseContract
@Timeout(900)
class GroupCommandsIT {

  private static final int HALF = 4_000;
  private static final List<String> OWN = List.of("first", "second", "third");

  GroupCommandsIT(TestDatabase database) {
    assumeFalse(database.isMariaDb(), "MariaDB has no groups of MySQL");
    assumeFalse(database.isGiven(), () -> database.name() + " has no group");
  }

  @Test
  void linesArePrintedOnceThoughThePrimaryDiesAndWithoutAMajorityNothingIs(@TempDir Path directory)
      throws Exception {
    try (KillableGroup group = KillableGroup.start()) {
      Slotbloom slotbloom = new Slotbloom(directory).on(group.url(), group.administrator());
      slotbloom.run("migrate").succeeded();
      slotbloom.run("reserve", "lines", "--capacity", "100_000", "--fpp", "1e-9").succeeded();
      List<Running> dedups = new ArrayList<>();
      for (String own : OWN) {
        Running dedup = slotbloom.startInteractive("dedup", "lines", "--timeout", "300");
        dedups.add(dedup);
        // It is under way then.
        dedup.type(own + "\n");
        dedup.awaitOutput(own + "\n");
      }
      for (Running dedup : dedups) {
        dedup.type(numbers(0, HALF));
      }
      await()
          .atMost(Duration.ofMinutes(4))
          .until(() -> printed(dedups).size() == HALF + OWN.size());
      for (Running dedup : dedups) {
        dedup.type(numbers(HALF, 2 * HALF));
      }
      int primary = group.primary();
      group.kill(primary);
      for (Running dedup : dedups) {
        dedup.process().getOutputStream().close();
      }
      for (Running dedup : dedups) {
        dedup.await().succeeded();
      }
      List<String> expected = new ArrayList<>(OWN);
      numbers(0, 2 * HALF).lines().forEach(expected::add);
      assertThat(printed(dedups)).containsExactlyInAnyOrderElementsOf(expected);
      assertThat(slotbloom.run("info", "lines", "--json").succeeded().out())
          .contains("\"keysAdded\":" + expected.size());

      group.killSecond(group.primaryBut(primary));
      slotbloom.run("exists", "lines", "1", "--timeout", "10").failed(5);
      slotbloom.run("add", "lines", "new", "--timeout", "10").failed(5);
    }
  }

  private static List<String> printed(List<Running> dedups) throws Exception {
    List<String> lines = new ArrayList<>();
    for (Running dedup : dedups) {
      lines.addAll(Files.readAllLines(dedup.out()));
    }
    return lines;
  }
}
