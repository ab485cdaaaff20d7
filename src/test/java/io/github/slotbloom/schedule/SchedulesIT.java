package io.github.slotbloom.schedule;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import io.github.slotbloom.testing.DatabaseContract;
import io.github.slotbloom.testing.KnownLogs;
import io.github.slotbloom.testing.PossibleLog;
import io.github.slotbloom.testing.TestSchema;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** The promises hold in the order of statements that each of many seeds stands for. */
@DatabaseContract(migrated = true, onOne = true)
@PossibleLog("(cut|killed) by the schedule")
@PossibleLog("the heartbeat failed, and goes on")
@PossibleLog(KnownLogs.ROTATION_FAILED)
@PossibleLog("writing to filter \\w+ failed")
class SchedulesIT {

  private static final Long SEED = Long.getLong("slotbloom.schedule.seed");

  /** The same in each build; the long form has others each time, for so many seconds. */
  private static final int SEEDS = Integer.getInteger("slotbloom.schedule.seeds", 120);

  private static final Long SECONDS =
      Long.getLong("slotbloom.schedule.seconds", DatabaseContract.LONG ? 600L : null);

  private static final long FIRST = SECONDS == null ? 1 : System.nanoTime();

  @Test
  void promisesHoldInRandomSchedules(TestSchema schema) throws Exception {
    long end = SECONDS == null ? 0 : System.nanoTime() + TimeUnit.SECONDS.toNanos(SECONDS);
    long seed = SEED == null ? FIRST : SEED;
    try (Explorer explorer = new Explorer(schema)) {
      do {
        Run run = explorer.run(seed);
        if (run.isWrong()) {
          fail(explorer.told("-Dslotbloom.schedule.seed=" + seed, run));
        }
        seed++;
      } while (SEED == null && (SECONDS == null ? seed <= SEEDS : System.nanoTime() < end));
      System.out.println(explorer.runs() + " schedules, seeds " + FIRST + " to " + (seed - 1));
      assertThat(explorer.runs()).isPositive();
    }
  }
}
