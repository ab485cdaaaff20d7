package io.github.slotbloom.schedule;

import io.github.slotbloom.reliability.Operation;
import io.github.slotbloom.schedule.Program.Call;
import io.github.slotbloom.schedule.Schedule.Choice;
import io.github.slotbloom.schedule.Schedule.Fault;
import io.github.slotbloom.schedule.World.Actor;
import io.github.slotbloom.schedule.World.Answer;
import io.github.slotbloom.schedule.World.Stop;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.NavigableMap;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * What came of one run of a program.
 *
 * @param departures where it departed from the plain order
 * @param choices what could have happened at each step
 * @param steps what happened, a line each
 * @param history what the callers saw
 * @param violations what cannot be, a sentence each
 */
record Run(
    Program program,
    NavigableMap<Integer, String> departures,
    List<List<Choice>> choices,
    List<String> steps,
    List<Operation> history,
    List<String> violations) {

  private static final int MOST_STEPS = 4_000;

  /** More faults than one hide each other. */
  private static final int MOST_FAULTS = 2;

  boolean isWrong() {
    return !violations.isEmpty();
  }

  /** Runs a program by a schedule, on a filter that is empty. */
  static Run of(
      Program program, Schedule schedule, Sessions sessions, CleanFilter filters, Judge judge)
      throws Exception {
    int processes = program.processes().size();
    // One more: the operator, who comes when all is over.
    World world = new World(processes + 1, sessions::waiting);
    History history = new History(world);
    List<Caller> callers = new ArrayList<>();
    for (int process = 0; process < processes; process++) {
      callers.add(new Caller(process, world, sessions, history, program, filters));
    }
    world.schedule();
    for (int process = 0; process < processes; process++) {
      List<Call> calls = program.processes().get(process);
      Caller caller = callers.get(process);
      if (!calls.isEmpty()) {
        world.begin(process, Stop.CALL, "calls " + calls.get(0), () -> caller.make(calls));
      }
    }
    Schedule.Recorded recorded = new Schedule.Recorded(schedule);
    Steps steps = new Steps(world, sessions, recorded);
    List<String> violations = new ArrayList<>();
    try {
      steps.takeAll(violations);
      if (violations.isEmpty()) {
        world.free();
        violations.addAll(
            judge.violations(
                program,
                world,
                history,
                callers.stream().filter(caller -> !world.isKilled(caller.process())).toList(),
                () -> Caller.operator(processes, world, sessions)));
        // Their sessions would be ended in the middle of a statement, and they would log it.
        world.awaitFreeThreads();
      }
    } finally {
      // Nothing is closed in an orderly way: that would be a run of its own.
      for (int process = 0; process <= processes; process++) {
        world.kill(process);
      }
      sessions.endAll();
    }
    return new Run(
        program,
        recorded.departures(),
        steps.choices,
        steps.lines,
        history.operations(),
        violations);
  }

  /** The steps of a run that goes on. */
  private static final class Steps {
    private final World world;
    private final Sessions sessions;
    private final Schedule schedule;
    private final List<List<Choice>> choices = new ArrayList<>();
    private final List<String> lines = new ArrayList<>();
    private @Nullable Actor last;
    private int faults;

    Steps(World world, Sessions sessions, Schedule schedule) {
      this.world = world;
      this.sessions = sessions;
      this.schedule = schedule;
    }

    void takeAll(List<String> violations) throws SQLException {
      while (true) {
        List<Actor> stopped = world.quiet();
        if (stopped.isEmpty()) {
          if (!world.isOver()) {
            violations.add("All wait for each other:\n" + world.describe());
          }
          return;
        }
        if (choices.size() > MOST_STEPS) {
          violations.add("It does not end:\n" + world.describe());
          return;
        }
        List<Choice> now = choices(stopped);
        take(now.get(schedule.choose(choices.size(), now)));
        choices.add(now);
      }
    }

    /**
     * In the plain order a process goes on as long as it can, who rests comes later, and who hears
     * late comes last.
     */
    private List<Choice> choices(List<Actor> stopped) {
      List<Choice> now = new ArrayList<>();
      stopped.stream()
          .sorted(
              Comparator.comparing(Steps::patience)
                  .thenComparing(actor -> patience(actor) > 0 ? actor.since() : 0)
                  .thenComparing(actor -> last == null || actor.process != last.process)
                  .thenComparing(actor -> actor != last)
                  .thenComparingInt(actor -> actor.process)
                  .thenComparingInt(actor -> actor.number))
          .forEach(actor -> now.add(choice(Fault.NONE, actor)));
      if (faults < MOST_FAULTS) {
        for (Actor actor : stopped) {
          if (actor.stop() == Stop.COMMIT) {
            now.add(choice(Fault.LOST_ANSWER, actor));
            now.add(choice(Fault.LATE_ARRIVAL, actor));
          }
          // Where nobody else is, nothing comes before it.
          if (actor.stop() == Stop.STATEMENT && stopped.size() > 1) {
            now.add(choice(Fault.LATE_ANSWER, actor));
          }
        }
        // A process that is not within a statement of its own might as well die a step later.
        stopped.stream()
            .filter(actor -> actor.stop() == Stop.STATEMENT || actor.stop() == Stop.COMMIT)
            .map(actor -> actor.process)
            .distinct()
            .forEach(process -> now.add(choice(Fault.KILL, first(stopped, process))));
        now.add(choice(Fault.CUT_ALL, stopped.get(0)));
        now.add(choice(Fault.PAUSE, stopped.get(0)));
      }
      return now;
    }

    private static int patience(Actor actor) {
      return switch (actor.stop()) {
        case REST -> 1;
        case LATE_ANSWER, LATE_ARRIVAL -> 2;
        default -> 0;
      };
    }

    private static Actor first(List<Actor> stopped, int process) {
      return stopped.stream().filter(actor -> actor.process == process).findFirst().orElseThrow();
    }

    private static Choice choice(Fault fault, Actor actor) {
      String who = "process " + actor.process;
      String what =
          switch (fault) {
            case NONE -> who + "." + actor.number + " " + abbreviated(actor.what());
            case LOST_ANSWER ->
                who + "." + actor.number + " " + actor.what() + ", but the answer is lost";
            case LATE_ARRIVAL ->
                who + "." + actor.number + " " + actor.what() + ", which the server gets late";
            case LATE_ANSWER ->
                who + "." + actor.number + " " + abbreviated(actor.what()) + ", answered late";
            case KILL -> who + " is killed";
            case CUT_ALL -> "the server ends all sessions";
            case PAUSE -> "nothing moves for half a minute";
          };
      return new Choice(what, fault, actor);
    }

    private static String abbreviated(String sql) {
      String line =
          sql.replaceAll("\\s+", " ")
              .replace("`", "")
              .replaceAll("slotbloom_test_\\w+\\.", "")
              .replaceAll("(bloom_(?:bits|removed))_\\d+", "$1");
      return line.length() > 110
          ? line.substring(0, 80) + " ... " + line.substring(line.length() - 25)
          : line;
    }

    private void take(Choice choice) throws SQLException {
      Actor actor = choice.actor();
      if (actor.stop() != Stop.REST || choice.fault() != Fault.NONE) {
        lines.add(choice.what());
      }
      last = actor;
      faults += choice.fault() == Fault.NONE ? 0 : 1;
      switch (choice.fault()) {
        case NONE -> world.release(actor, Answer.IN_TIME);
        case LOST_ANSWER -> world.release(actor, Answer.LOST);
        case LATE_ARRIVAL -> world.release(actor, Answer.ARRIVES_LATE);
        case LATE_ANSWER -> world.release(actor, Answer.LATE);
        case KILL -> {
          world.kill(actor.process);
          sessions.cut(actor.process);
        }
        case CUT_ALL -> sessions.cut(IntStream.range(0, 3).toArray());
        case PAUSE -> world.advance(World.PAUSE_NANOS);
      }
    }
  }
}
