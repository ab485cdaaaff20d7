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

import io.github.slotbloom.core.Window;
import io.github.slotbloom.testing.BeforeDatabase;
import io.github.slotbloom.testing.DatabaseContract;
import io.github.slotbloom.testing.KillableServer;
import io.github.slotbloom.testing.KnownLogs;
import io.github.slotbloom.testing.PossibleLog;
import io.github.slotbloom.testing.TestDatabase;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Several processes storm one filter while processes, servers and networks fail; what all callers
 * saw must be possible if the promises hold.
 *
 * <p>Every build has one of a few seconds. The long form has all the others on every database;
 * {@code slotbloom.storm.plan} takes only those whose names begin so. {@link Rounds} tells how to
 * make them long.
 */
@DatabaseContract
@PossibleLog(KnownLogs.MIRROR_RELOADED)
@PossibleLog(KnownLogs.BACKGROUND_FAILED)
@PossibleLog(KnownLogs.SELF_GROWTH_FAILED)
class StormIT {

  private static final Duration ROUND = Rounds.length(Duration.ofSeconds(3));
  private static final Duration ROUND_OF_WINDOW = Rounds.length(Duration.ofSeconds(6));

  private static TestDatabase database;

  private static final String ONLY = System.getProperty("slotbloom.storm.plan", "");

  @BeforeDatabase
  static void on(TestDatabase current) {
    database = current;
  }

  private static List<RoundPlan> plans() {
    return List.of(
        new RoundPlan(
            "clears",
            RoundPlan.ROOMY,
            RoundPlan.EXACT,
            false,
            0,
            true,
            List.of(CLEAR, CUT, DELAY, GROW, KILL, KILL_AT_POINT, REPLACE, REPLACE, STALL),
            ROUND),
        new RoundPlan(
            "processes and networks fail, false positives",
            RoundPlan.tight(ROUND),
            RoundPlan.LOOSE,
            false,
            0,
            true,
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
            ROUND),
        new RoundPlan(
            "servers fail",
            RoundPlan.ROOMY,
            RoundPlan.EXACT,
            true,
            0,
            true,
            List.of(CRASH_SERVER, CRASH_SERVER, GROW, KILL_AT_POINT, KILL, CUT_AT_POINT, REPLACE),
            ROUND),
        new RoundPlan(
            "servers without a binary log fail",
            RoundPlan.ROOMY,
            RoundPlan.EXACT,
            true,
            0,
            false,
            List.of(CRASH_SERVER, CRASH_SERVER, GROW, KILL_AT_POINT, KILL, CUT_AT_POINT),
            ROUND),
        new RoundPlan(
            "removals, hashes retained, servers fail",
            RoundPlan.ROOMY,
            RoundPlan.EXACT,
            true,
            RoundPlan.FEW,
            true,
            List.of(
                CRASH_SERVER,
                CUT,
                CUT_AT_POINT,
                GROW,
                KILL,
                KILL_AT_POINT,
                REPLACE,
                REPLACE,
                STALL),
            ROUND),
        new RoundPlan(
            "removals, false positives, all fails",
            RoundPlan.tight(ROUND) / 4,
            RoundPlan.LOOSE,
            false,
            RoundPlan.ALL,
            true,
            List.of(
                KILL,
                KILL_AT_POINT,
                KILL_AT_POINT,
                FREEZE,
                GROW,
                CUT,
                CUT_AT_POINT,
                CRASH_SERVER,
                LOSE_COMMIT_ANSWER,
                SLOW_COMMIT,
                STALL,
                DELAY,
                LOSE_SERVER,
                LOSE_CLIENT),
            ROUND),
        new RoundPlan(
            "removals, clears, servers without a binary log fail",
            RoundPlan.ROOMY,
            RoundPlan.EXACT,
            false,
            RoundPlan.ALL,
            false,
            List.of(CLEAR, CRASH_SERVER, CUT_AT_POINT, KILL, KILL_AT_POINT),
            ROUND),
        window("windows", false, List.of(KILL, KILL_AT_POINT, FREEZE, CRASH_SERVER, STALL)),
        window(
            "windows that renew keys",
            true,
            List.of(KILL, KILL_AT_POINT, CUT, CUT_AT_POINT, CRASH_SERVER, LOSE_COMMIT_ANSWER)));
  }

  /** Of buckets so short that keys expire within a short round. */
  private static RoundPlan window(String name, boolean renews, List<Fault> faults) {
    return new RoundPlan(
        name,
        RoundPlan.ROOMY,
        1e-9,
        false,
        0,
        true,
        faults,
        ROUND_OF_WINDOW,
        new Window(Duration.ofSeconds(2), 2, renews));
  }

  static Stream<RoundPlan> plansOfDatabase() {
    List<RoundPlan> plans = plans();
    return IntStream.range(0, plans.size())
        .filter(database::takes)
        .mapToObj(plans::get)
        .filter(plan -> plan.name().startsWith(ONLY));
  }

  /** What only real threads and processes show: of all else the schedules show more. */
  @Test
  void callersSeeAPossibleHistoryOfAFewSeconds() throws Exception {
    RoundPlan plan =
        new RoundPlan(
            "in each build",
            RoundPlan.ROOMY,
            RoundPlan.EXACT,
            true,
            RoundPlan.ALL,
            true,
            List.of(CUT, GROW, KILL, KILL_AT_POINT, REPLACE, STALL),
            Duration.ofSeconds(15));
    try (KillableServer server = KillableServer.like(database)) {
      new Rounds().runOnce(plan, server);
    }
  }

  @ParameterizedTest
  @Tag("long")
  @MethodSource("plansOfDatabase")
  void callersSeeAPossibleHistoryDespiteFaults(RoundPlan plan) throws Exception {
    try (KillableServer server = serverFor(plan)) {
      new Rounds().run(plan, server, Rounds.ALL.dividedBy(plans().size()));
    }
  }

  private static KillableServer serverFor(RoundPlan plan) throws Exception {
    if (plan.binaryLog()) {
      return KillableServer.like(database);
    }
    return KillableServer.like(
        database, database.isMariaDb() ? "--skip-log-bin" : "--disable-log-bin");
  }
}
