package io.github.slotbloom.schedule;

import static io.github.slotbloom.schedule.Program.call;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.slotbloom.schedule.Program.Kind;
import io.github.slotbloom.testing.DatabaseContract;
import io.github.slotbloom.testing.KnownLogs;
import io.github.slotbloom.testing.PossibleLog;
import io.github.slotbloom.testing.TestSchema;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The explorer finds what only an order of statements shows, and tells it so that it is read. */
@DatabaseContract(migrated = true, onOne = true)
@PossibleLog("(cut|killed) by the schedule")
@PossibleLog("the heartbeat failed; it continues")
@PossibleLog(KnownLogs.ROTATION_FAILED)
@PossibleLog("writing to filter \\w+ failed")
@PossibleLog(KnownLogs.MIRROR_RELOADED)
class ExplorerIT {

  @Test
  void aCommitThatIsLostWhereOthersComeBetweenIsFoundAndTold(TestSchema schema) throws Exception {
    try (Explorer explorer = new Explorer(schema, new LossyCommits(schema.direct()).dataSource())) {
      long seed = 1;
      Run run = explorer.run(seed);
      while (!run.isWrong() && seed < 300) {
        run = explorer.run(++seed);
      }
      System.out.println("found by schedule " + seed);
      assertThat(run.isWrong()).isTrue();
      assertThat(explorer.run(seed).steps()).isEqualTo(run.steps());

      String told = explorer.told("seed " + seed, run);

      System.out.println(told);
      assertThat(told)
          .startsWith("seed " + seed + "\n")
          .contains("  process 0: ", "insert into bloom_journal", "answer=NEW", "What is wrong:");
      assertThat(told.lines().filter(line -> line.startsWith("* ")))
          .as("departures")
          .hasSizeLessThanOrEqualTo(2);
    }
  }

  @Test
  void allSchedulesOfOneDepartureFindIt(TestSchema schema) throws Exception {
    Program program =
        new Program(
            CleanFilter.Kind.LASTING,
            false,
            List.of(List.of(call(Kind.ADD, 1)), List.of(call(Kind.ASK, 2))));
    try (Explorer explorer = new Explorer(schema, new LossyCommits(schema.direct()).dataSource())) {
      assertThat(explorer.runAll(program, 0, 1_000).isWrong()).isFalse();
      assertThat(explorer.runAll(program, 1, 1_000).isWrong()).isTrue();
    }
  }

  @Test
  void aSeedPlaysTheSameScheduleAgain(TestSchema schema) throws Exception {
    try (Explorer explorer = new Explorer(schema)) {
      for (long seed = 1; seed <= 6; seed++) {
        Run run = explorer.run(seed);
        assertThat(run.violations()).as("seed %d", seed).isEmpty();
        Run again = explorer.run(seed);
        assertThat(again.steps()).as("seed %d", seed).isEqualTo(run.steps());
        assertThat(again.history()).as("seed %d", seed).isEqualTo(run.history());
        Run replayed = explorer.run(run.program(), Schedule.fixed(run.departures()));
        assertThat(replayed.steps()).as("seed %d", seed).isEqualTo(run.steps());
      }
    }
  }
}
