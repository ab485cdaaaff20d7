package io.github.slotbloom.schedule;

import static io.github.slotbloom.schedule.Program.call;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import io.github.slotbloom.schedule.Program.Call;
import io.github.slotbloom.schedule.Program.Kind;
import io.github.slotbloom.testing.DatabaseContract;
import io.github.slotbloom.testing.PossibleLog;
import io.github.slotbloom.testing.TestSchema;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The promises hold in all orders of short programs that depart at most so often from letting one
 * process go on as long as it can. A departure is a change of the thread or a fault: a process is
 * killed, all sessions are cut, the answer to a COMMIT is lost.
 */
@DatabaseContract(migrated = true, onOne = true)
@PossibleLog("cut by the schedule")
@PossibleLog("writing to filter \\w+ failed")
@Tag("long")
class ShortProgramsIT {

  private static final int MOST_DEPARTURES = DatabaseContract.LONG ? 2 : 1;

  /** A build takes the first so many of each; the long form takes all. */
  private static final int MOST_RUNS = DatabaseContract.LONG ? Integer.MAX_VALUE : 60;

  static List<Program> programs() {
    Call add = call(Kind.ADD, 1);
    List<Call> addThenAsk = List.of(add, call(Kind.ASK, 1));
    return List.of(
        new Program(true, false, List.of(addThenAsk, List.of(call(Kind.REMOVE, 1)))),
        new Program(false, true, List.of(addThenAsk, List.of(call(Kind.ADD_WITHIN, 1)))),
        new Program(false, false, List.of(addThenAsk, List.of(call(Kind.CLEAR)))),
        new Program(false, true, List.of(addThenAsk, List.of(call(Kind.REPLACE)))),
        new Program(
            false, false, List.of(List.of(call(Kind.ADD_WITHIN, 1)), List.of(call(Kind.REPLACE)))),
        new Program(false, false, List.of(List.of(add, call(Kind.FOLD)), List.of(call(Kind.GROW)))),
        new Program(
            false, false, List.of(List.of(add, call(Kind.FOLD)), List.of(call(Kind.CLEAR)))));
  }

  @ParameterizedTest
  @MethodSource("programs")
  void promisesHoldInAllSchedulesOfFewDepartures(Program program, TestSchema schema)
      throws Exception {
    try (Explorer explorer = new Explorer(schema)) {
      Run run = explorer.runAll(program, MOST_DEPARTURES, MOST_RUNS);
      if (run.isWrong()) {
        fail(explorer.told("at most " + MOST_DEPARTURES + " departures", run));
      }
      System.out.println(
          explorer.runs() + " schedules of at most " + MOST_DEPARTURES + " departures: " + program);
      assertThat(explorer.runs()).isGreaterThan(1);
    }
  }
}
