package io.github.slotbloom.reliability;

import static io.github.slotbloom.reliability.Fault.CLEAR;
import static io.github.slotbloom.reliability.Fault.CRASH_SERVER;
import static io.github.slotbloom.reliability.Fault.CUT;
import static io.github.slotbloom.reliability.Fault.CUT_AT_POINT;
import static io.github.slotbloom.reliability.Fault.DELAY;
import static io.github.slotbloom.reliability.Fault.FREEZE;
import static io.github.slotbloom.reliability.Fault.GROW;
import static io.github.slotbloom.reliability.Fault.KILL;
import static io.github.slotbloom.reliability.Fault.KILL_AT_POINT;
import static io.github.slotbloom.reliability.Fault.LOSE_CLIENT;
import static io.github.slotbloom.reliability.Fault.LOSE_COMMIT_ANSWER;
import static io.github.slotbloom.reliability.Fault.LOSE_SERVER;
import static io.github.slotbloom.reliability.Fault.REPLACE;
import static io.github.slotbloom.reliability.Fault.SLOW_COMMIT;
import static io.github.slotbloom.reliability.Fault.STALL;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.slotbloom.reliability.Operation.Answer;
import io.github.slotbloom.testing.DatabaseContract;
import io.github.slotbloom.testing.KillableServer;
import io.github.slotbloom.testing.KnownLogs;
import io.github.slotbloom.testing.PossibleLog;
import io.github.slotbloom.testing.TestDatabase;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Several processes storm one filter while processes, servers and networks fail; what all callers
 * saw must be possible if the promises hold.
 *
 * <p>{@code slotbloom.storm.minutes} makes it long, a database; {@code slotbloom.storm.seed}
 * repeats a choice of faults, though not the moments at which they strike.
 */
@DatabaseContract
@PossibleLog(KnownLogs.MIRROR_RELOADED)
@PossibleLog(KnownLogs.BACKGROUND_FAILED)
@PossibleLog(KnownLogs.SELF_GROWTH_FAILED)
class StormIT {

  private static final Duration SHORT_ROUND = Duration.ofSeconds(3);
  private static final Duration LONG_ROUND = Duration.ofSeconds(60);

  private static final int PLANS = 4;

  private final Duration length = Duration.ofMinutes(Long.getLong("slotbloom.storm.minutes", 0));
  private final long seed = Long.getLong("slotbloom.storm.seed", new Random().nextInt());

  @Test
  void whatCallersSeeIsPossibleWhateverFails(TestDatabase database) throws Exception {
    storm(KillableServer.like(database), true, rounds(roundLength()));
  }

  @Test
  void whatAddsAnsweredLastsWhereACrashTakesBackWhatQuestionsSaw(TestDatabase database)
      throws Exception {
    KillableServer server =
        KillableServer.like(
            database, database.isMariaDb() ? "--skip-log-bin" : "--disable-log-bin");
    storm(server, false, List.of(serversFail(roundLength())));
  }

  private Duration roundLength() {
    return length.isZero() ? SHORT_ROUND : LONG_ROUND;
  }

  private void storm(KillableServer started, boolean visibleIsDurable, List<RoundPlan> plans)
      throws Exception {
    Tally tally = new Tally();
    Random seeds = new Random(seed);
    long end = System.nanoTime() + length.toNanos() * plans.size() / PLANS;
    try (KillableServer server = started) {
      do {
        for (RoundPlan plan : plans) {
          Round.run(plan, server, visibleIsDurable, seeds.nextLong(), tally);
          System.out.println(tally);
        }
      } while (System.nanoTime() < end);
      System.out.println("Storm on " + server.database().name() + ", seed " + seed + ": " + tally);
    }
    assertThat(tally.violations()).isEmpty();
    for (Answer answer : List.of(Answer.NEW, Answer.SEEN, Answer.YES, Answer.NO)) {
      assertThat(tally.times(answer)).as("%s of %s", answer, tally).isPositive();
    }
    for (RoundPlan plan : plans) {
      if (plan.rate() == RoundPlan.LOOSE) {
        assertThat(tally.falsePositives()).as("false positives of %s", tally).isPositive();
      }
      if (!length.isZero()) {
        assertThat(plan.faults()).as("faults of %s", tally).allMatch(f -> tally.times(f) > 0);
      }
    }
  }

  private static List<RoundPlan> rounds(Duration length) {
    return List.of(
        new RoundPlan(
            "clears",
            RoundPlan.ROOMY,
            RoundPlan.EXACT,
            false,
            List.of(CLEAR, CUT, DELAY, GROW, KILL, KILL_AT_POINT, REPLACE, REPLACE, STALL),
            length),
        new RoundPlan(
            "processes and networks fail, false positives",
            RoundPlan.tight(length),
            RoundPlan.LOOSE,
            false,
            List.of(
                KILL,
                KILL,
                KILL,
                KILL_AT_POINT,
                KILL_AT_POINT,
                KILL_AT_POINT,
                FREEZE,
                GROW,
                CUT,
                CUT_AT_POINT,
                LOSE_COMMIT_ANSWER,
                SLOW_COMMIT,
                STALL,
                DELAY,
                LOSE_SERVER,
                LOSE_CLIENT),
            length),
        serversFail(length, REPLACE));
  }

  private static RoundPlan serversFail(Duration length, Fault... further) {
    return new RoundPlan(
        "servers fail",
        RoundPlan.ROOMY,
        RoundPlan.EXACT,
        true,
        Stream.concat(
                Stream.of(CRASH_SERVER, CRASH_SERVER, GROW, KILL_AT_POINT, KILL, CUT_AT_POINT),
                Stream.of(further))
            .toList(),
        length);
  }
}
