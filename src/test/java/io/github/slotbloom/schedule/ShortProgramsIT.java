package io.github.slotbloom.schedule;

import static io.github.slotbloom.schedule.CleanFilter.Kind.LASTING;
import static io.github.slotbloom.schedule.CleanFilter.Kind.REMOVABLE;
import static io.github.slotbloom.schedule.CleanFilter.Kind.WINDOW;
import static io.github.slotbloom.schedule.Program.call;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import io.github.slotbloom.schedule.Explorer.Departure;
import io.github.slotbloom.schedule.Program.Call;
import io.github.slotbloom.schedule.Program.Kind;
import io.github.slotbloom.schedule.Schedule.Fault;
import io.github.slotbloom.testing.AfterDatabase;
import io.github.slotbloom.testing.BeforeDatabase;
import io.github.slotbloom.testing.DatabaseContract;
import io.github.slotbloom.testing.KnownLogs;
import io.github.slotbloom.testing.PossibleLog;
import io.github.slotbloom.testing.TestSchema;
import java.sql.SQLException;
import java.util.Collections;
import java.util.List;
import java.util.regex.Pattern;
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
@PossibleLog("the heartbeat failed; it continues")
@PossibleLog(KnownLogs.ROTATION_FAILED)
@PossibleLog("writing to filter \\w+ failed")
class ShortProgramsIT {

  /** A build takes so many of each in which nothing fails, which are all of most programs. */
  private static final int MOST_SWITCHES = 40;

  /** And so many more, most of them with a fault. */
  private static final int MOST_RUNS = 4;

  /** The long form takes all with one departure, and so many with two. */
  private static final int MOST_RUNS_OF_TWO = 1_000;

  /** A build takes so many in which a certain thing fails. */
  private static final int MOST_LOSSES = 20;

  /** What a process does to tables that are left. */
  private static final Pattern SWEEPING =
      Pattern.compile("drop table|update bloom_table set bloom_table.(made|left_at)");

  /** One for all programs: it begins each run with a filter that is empty. */
  private static Explorer explorer;

  @BeforeDatabase
  static void open(TestSchema schema) throws Exception {
    explorer = new Explorer(schema);
  }

  @AfterDatabase
  static void close() throws SQLException {
    explorer.close();
  }

  /** In the long form either process goes first. */
  static Stream<Program> programs() {
    return pairs().stream()
        .flatMap(one -> DatabaseContract.LONG ? Stream.of(one, one.turned()) : Stream.of(one))
        .distinct();
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
        of(LASTING, true, List.of(call(Kind.TICK), ask, ask), List.of(add, call(Kind.TRIM))),
        of(LASTING, true, List.of(add, call(Kind.REPLACE), ask), List.of(call(Kind.GROW), ask)),
        of(LASTING, false, List.of(add, call(Kind.CLEAR), ask), List.of(call(Kind.CLEAR), add)),
        of(LASTING, false, List.of(call(Kind.REPLACE)), addThenAsk, List.of(call(Kind.ABORT))),
        of(LASTING, true, List.of(add, call(Kind.CLEAR), ask), SWEEPS),
        of(LASTING, false, List.of(add, call(Kind.REPLACE)), SWEEPS, List.of(call(Kind.GROW))),
        of(WINDOW, false, FIVE_BUCKETS, List.of(call(Kind.ADD, 2), ask)),
        of(REMOVABLE, false, CLEARED_THEN_REBUILT, List.of(call(Kind.ADD, 2), ask)));
  }

  /** Tables that are left are noted, dropped, and forgotten an hour later. */
  private static final List<Call> SWEEPS =
      List.of(call(Kind.SWEEP), call(Kind.SWEEP), call(Kind.LATER));

  /** The table of the first one is left. */
  private static final List<Call> FIVE_BUCKETS =
      Stream.concat(
              Collections.nCopies(5, List.of(call(Kind.ADD, 1), call(Kind.BUCKET))).stream()
                  .flatMap(List::stream),
              Stream.of(call(Kind.SWEEP), call(Kind.SWEEP), call(Kind.ASK, 1)))
          .toList();

  /** Of the hashes, some leave the journal before. */
  private static final List<Call> CLEARED_THEN_REBUILT =
      List.of(
          call(Kind.ADD_EACH, 1),
          call(Kind.REMOVE, 1),
          call(Kind.FOLD),
          call(Kind.CLEAR),
          call(Kind.ADD, 1),
          call(Kind.ADD, 3),
          call(Kind.FOLD),
          call(Kind.LATER),
          call(Kind.REPLACE),
          call(Kind.ASK, 2));

  /** The last process of each hears nothing of a COMMIT, and others come before it goes on. */
  static Stream<Program> programsWithALoss() {
    List<Call> addThenAsk = List.of(call(Kind.ADD, 1), call(Kind.ASK, 1));
    List<Call> grow = List.of(call(Kind.GROW));
    return Stream.of(
        of(LASTING, false, addThenAsk, grow, List.of(call(Kind.CLEAR))),
        of(LASTING, true, List.of(call(Kind.ADD, 1), call(Kind.CLEAR)), List.of(call(Kind.CLEAR))),
        of(LASTING, false, addThenAsk, grow, List.of(call(Kind.REPLACE))),
        of(LASTING, true, addThenAsk, List.of(call(Kind.ABORT)), List.of(call(Kind.REPLACE))),
        of(REMOVABLE, false, List.of(call(Kind.CLEAR)), CLEARED_THEN_REBUILT));
  }

  /** The last process of each sweeps, and is killed at it. */
  static Stream<Program> programsWithASweeper() {
    return Stream.of(
        of(LASTING, true, List.of(call(Kind.ADD, 1), call(Kind.CLEAR)), SWEEPS),
        of(LASTING, false, List.of(call(Kind.ADD, 1), call(Kind.REPLACE)), SWEEPS),
        of(WINDOW, false, List.of(call(Kind.ADD, 2), call(Kind.SWEEP)), FIVE_BUCKETS));
  }

  private static Program of(
      CleanFilter.Kind filter, boolean mirrored, List<Call> one, List<Call> other) {
    return new Program(filter, mirrored, List.of(one, other));
  }

  private static Program of(
      CleanFilter.Kind filter,
      boolean mirrored,
      List<Call> one,
      List<Call> other,
      List<Call> third) {
    return new Program(filter, mirrored, List.of(one, other, third));
  }

  @ParameterizedTest
  @MethodSource("programs")
  void promisesHoldInAllSchedulesOfFewDepartures(Program program) throws Exception {
    int before = explorer.runs();
    Run run = explorer.runAll(program, 1, DatabaseContract.LONG ? Integer.MAX_VALUE : MOST_RUNS);
    if (!DatabaseContract.LONG && !run.isWrong()) {
      run = explorer.runAllSwitches(program, MOST_SWITCHES);
    }
    int ofOne = explorer.runs() - before;
    if (DatabaseContract.LONG && !run.isWrong()) {
      run = explorer.runAll(program, 2, MOST_RUNS_OF_TWO);
    }
    if (run.isWrong()) {
      fail(explorer.told("few departures", run));
    }
    System.out.println(
        "%d schedules of one departure, %d of two: %s"
            .formatted(ofOne, explorer.runs() - before - ofOne, program));
    assertThat(ofOne).isGreaterThan(1);
  }

  @ParameterizedTest
  @MethodSource("programsWithALoss")
  void promisesHoldWhereOthersComeAfterALostCommit(Program program) throws Exception {
    int last = program.processes().size() - 1;
    Departure loses =
        (step, instead, choice) ->
            choice.actor().process == last
                && (choice.fault() == Fault.LOST_ANSWER || choice.fault() == Fault.LATE_ARRIVAL);
    runEach(program, List.of(beginningWith(last), loses, Departure.HARMLESS));
  }

  @ParameterizedTest
  @MethodSource("programsWithASweeper")
  void promisesHoldWhereASweeperIsKilledBeforeItsDropOrAfterIt(Program program) throws Exception {
    int last = program.processes().size() - 1;
    Departure dies =
        (step, instead, choice) ->
            choice.fault() == Fault.KILL
                && choice.actor().process == last
                && SWEEPING.matcher(instead.what()).find();
    runEach(program, List.of(Departure.HARMLESS, dies));
  }

  private static Departure beginningWith(int process) {
    return (step, instead, choice) -> step == 0 && choice.actor().process == process;
  }

  private static void runEach(Program program, List<Departure> departures) throws Exception {
    int before = explorer.runs();
    int most = DatabaseContract.LONG ? MOST_RUNS_OF_TWO : MOST_LOSSES;
    Run run = explorer.runEach(program, most, departures);
    if (run.isWrong()) {
      fail(explorer.told("certain departures", run));
    }
    int runs = explorer.runs() - before;
    System.out.println("%d schedules: %s".formatted(runs, program));
    assertThat(runs).isGreaterThan(departures.size());
  }
}
