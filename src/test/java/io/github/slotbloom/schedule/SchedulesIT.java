package io.github.slotbloom.schedule;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import io.github.slotbloom.testing.DatabaseContract;
import io.github.slotbloom.testing.TestSchema;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** The promises hold in the order of statements that each of many seeds stands for. */
@DatabaseContract(migrated = true, onOne = true)
class SchedulesIT {

  private static final Long SEED = Long.getLong("slotbloom.schedule.seed");
  private static final long SECONDS = Long.getLong("slotbloom.schedule.seconds", 60);

  /** The long form has others each time. */
  private static final long FIRST = DatabaseContract.LONG ? System.nanoTime() : 1;

  @Test
  void promisesHoldInRandomSchedules(TestSchema schema) throws Exception {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(SECONDS);
    long seed = SEED == null ? FIRST : SEED;
    try (Explorer explorer = new Explorer(schema)) {
      do {
        Run run = explorer.run(seed);
        if (run.isWrong()) {
          fail(explorer.told("-Dslotbloom.schedule.seed=" + seed, run));
        }
        seed++;
      } while (SEED == null && System.nanoTime() < end);
      System.out.println(explorer.runs() + " schedules, seeds " + FIRST + " to " + (seed - 1));
      assertThat(explorer.runs()).isPositive();
    }
  }

  @Test
  void aSeedPlaysTheSameScheduleAgain(TestSchema schema) throws Exception {
    try (Explorer explorer = new Explorer(schema)) {
      for (long seed = 1; seed <= 20; seed++) {
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
