package io.github.slotbloom.schedule;

import static io.github.slotbloom.schedule.CleanFilter.Kind.LASTING;
import static io.github.slotbloom.schedule.CleanFilter.Kind.REMOVABLE;
import static io.github.slotbloom.schedule.CleanFilter.Kind.WINDOW;
import static io.github.slotbloom.schedule.Program.call;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import io.github.slotbloom.schedule.Program.Call;
import io.github.slotbloom.schedule.Program.Kind;
import io.github.slotbloom.testing.DatabaseContract;
import io.github.slotbloom.testing.KnownLogs;
import io.github.slotbloom.testing.PossibleLog;
import io.github.slotbloom.testing.TestSchema;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The promises hold in all orders of short programs that depart at most so often from letting one
 * process go on as long as it can. A departure is a change of the thread, a late answer, or a
 * fault: a process is killed, all sessions are cut, the answer to what commits is lost, what
 * commits arrives late, or time passes. In the long form each of these happens at each statement.
 */
@DatabaseContract(migrated = true, onOne = true)
@PossibleLog("(cut|killed) by the schedule")
@PossibleLog("the heartbeat failed, and goes on")
@PossibleLog(KnownLogs.ROTATION_FAILED)
@PossibleLog("writing to filter \\w+ failed")
class ShortProgramsIT {

  /** A build takes so many of each in which nothing fails, which are all of most programs. */
  private static final int MOST_SWITCHES = 40;

  /** And so many more, most of them with a fault. */
  private static final int MOST_RUNS = 4;

  /** The long form takes all with one departure, and so many with two. */
  private static final int MOST_RUNS_OF_TWO = 1_000;

  /** Either process goes first, and answers by what it heard. */
  static Stream<Program> programs() {
    return pairs().stream().flatMap(one -> Stream.of(one, one.turned())).distinct();
  }

  private static List<Program> pairs() {
    Call add = call(Kind.ADD, 1);
    Call ask = call(Kind.ASK, 1);
    List<Call> addThenAsk = List.of(add, ask);
    List<Call> addThenFold = List.of(add, call(Kind.FOLD));
    return List.of(
        of(REMOVABLE, false, addThenAsk, List.of(call(Kind.REMOVE, 1))),
        of(LASTING, true, addThenAsk, List.of(call(Kind.ADD_WITHIN, 1))),
        of(LASTING, false, addThenAsk, List.of(call(Kind.CLEAR))),
        of(LASTING, true, addThenAsk, List.of(call(Kind.REPLACE))),
        of(LASTING, false, List.of(call(Kind.ADD_WITHIN, 1)), List.of(call(Kind.REPLACE))),
        of(WINDOW, true, addThenAsk, List.of(call(Kind.BUCKET), call(Kind.OFFER, 1))),
        of(LASTING, true, addThenAsk, List.of(call(Kind.OPEN), ask)),
        of(LASTING, false, List.of(call(Kind.RESERVE)), List.of(call(Kind.RESERVE))),
        of(LASTING, false, List.of(call(Kind.IMPORT)), List.of(call(Kind.IMPORT))),
        of(LASTING, true, addThenAsk, List.of(call(Kind.MERGE))),
        of(LASTING, false, List.of(call(Kind.MERGE)), List.of(call(Kind.MERGE))),
        of(LASTING, true, addThenAsk, List.of(call(Kind.RENAME))),
        of(LASTING, false, addThenAsk, List.of(call(Kind.DROP))),
        of(REMOVABLE, true, addThenAsk, List.of(call(Kind.EXPIRE))),
        of(LASTING, false, addThenFold, List.of(call(Kind.ADD, 2))),
        of(LASTING, true, addThenAsk, List.of(call(Kind.CLEAR), ask)),
        of(LASTING, false, addThenFold, List.of(call(Kind.GROW))),
        of(REMOVABLE, false, addThenFold, List.of(call(Kind.REMOVE, 1), call(Kind.TRIM))),
        of(LASTING, false, addThenFold, List.of(call(Kind.CLEAR))),
        of(REMOVABLE, false, addThenAsk, List.of(call(Kind.FOLD))),
        // Not the first entries, so each reads, decides and appends without the lock.
        of(LASTING, true, List.of(call(Kind.ADD, 2), add), List.of(add, ask)),
        of(LASTING, false, List.of(call(Kind.ADD, 2), add), List.of(add, ask)),
        of(LASTING, true, addThenAsk, List.of(call(Kind.DROP))),
        of(LASTING, true, List.of(call(Kind.TICK), ask, ask), List.of(add, call(Kind.TRIM))));
  }

  private static Program of(
      CleanFilter.Kind filter, boolean mirrored, List<Call> one, List<Call> other) {
    return new Program(filter, mirrored, List.of(one, other));
  }

  @ParameterizedTest
  @MethodSource("programs")
  void promisesHoldInAllSchedulesOfFewDepartures(Program program, TestSchema schema)
      throws Exception {
    try (Explorer explorer = new Explorer(schema)) {
      Run run = explorer.runAll(program, 1, DatabaseContract.LONG ? Integer.MAX_VALUE : MOST_RUNS);
      if (!DatabaseContract.LONG && !run.isWrong()) {
        run = explorer.runAllSwitches(program, MOST_SWITCHES);
      }
      int ofOne = explorer.runs();
      if (DatabaseContract.LONG && !run.isWrong()) {
        run = explorer.runAll(program, 2, MOST_RUNS_OF_TWO);
      }
      if (run.isWrong()) {
        fail(explorer.told("few departures", run));
      }
      System.out.println(
          "%d schedules of one departure, %d of two: %s"
              .formatted(ofOne, explorer.runs() - ofOne, program));
      assertThat(explorer.runs()).isGreaterThan(1);
    }
  }
}
