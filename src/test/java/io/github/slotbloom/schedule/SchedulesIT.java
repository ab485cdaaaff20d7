package io.github.slotbloom.schedule;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import io.github.slotbloom.testing.DatabaseContract;
import io.github.slotbloom.testing.KnownLogs;
import io.github.slotbloom.testing.PossibleLog;
import io.github.slotbloom.testing.TestDatabase;
import io.github.slotbloom.testing.TestSchema;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongPredicate;
import org.junit.jupiter.api.Test;

/** The promises hold in the order of statements that each of many seeds stands for. */
@DatabaseContract(migrated = true, onOne = true)
@PossibleLog("(cut|killed) by the schedule")
@PossibleLog("the heartbeat failed; it continues")
@PossibleLog(KnownLogs.ROTATION_FAILED)
@PossibleLog("writing to filter \\w+ failed")
class SchedulesIT {

  private static final Long SEED = Long.getLong("slotbloom.schedule.seed");

  /** The same in each build; the long form has others each time, for so many seconds. */
  private static final int SEEDS = Integer.getInteger("slotbloom.schedule.seeds", 1_000);

  private static final Long SECONDS =
      Long.getLong("slotbloom.schedule.seconds", DatabaseContract.LONG ? 600L : null);

  private static final long FIRST = SEED != null ? SEED : SECONDS == null ? 1 : System.nanoTime();

  private static final int EXPLORERS = Runtime.getRuntime().availableProcessors();

  private final AtomicLong next = new AtomicLong(FIRST);
  private final AtomicBoolean wrong = new AtomicBoolean();

  @Test
  void promisesHoldInRandomSchedules(TestDatabase database) throws Exception {
    long end = SECONDS == null ? 0 : System.nanoTime() + TimeUnit.SECONDS.toNanos(SECONDS);
    LongPredicate goesOn =
        seed ->
            SEED != null ? seed == SEED : SECONDS == null ? seed <= SEEDS : System.nanoTime() < end;
    ExecutorService threads = Executors.newFixedThreadPool(EXPLORERS);
    try {
      List<Callable<Integer>> explorers =
          Collections.nCopies(EXPLORERS, () -> explore(database, goesOn));
      int runs = 0;
      for (Future<Integer> explorer : threads.invokeAll(explorers)) {
        runs += explorer.get();
      }
      System.out.println(runs + " schedules from seed " + FIRST);
      assertThat(runs).isPositive();
    } finally {
      threads.shutdownNow();
    }
  }

  private int explore(TestDatabase database, LongPredicate goesOn) throws Exception {
    try (TestSchema schema = database.createMigratedSchema();
        Explorer explorer = new Explorer(schema)) {
      long seed = next.getAndIncrement();
      for (; goesOn.test(seed) && !wrong.get(); seed = next.getAndIncrement()) {
        Run run = explorer.run(seed);
        if (run.isWrong()) {
          wrong.set(true);
          fail(explorer.told("-Dslotbloom.schedule.seed=" + seed, run));
        }
      }
      return explorer.runs();
    }
  }
}
