package io.github.slotbloom.schedule;

import io.github.slotbloom.schedule.Schedule.Choice;
import io.github.slotbloom.testing.TestSchema;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.SplittableRandom;
import java.util.TreeMap;
import javax.sql.DataSource;

/**
 * Runs programs by schedules, each on a filter that is empty, and makes those shorter that fail.
 */
final class Explorer implements AutoCloseable {

  private static final int MOST_SIMPLE_RUNS = 300;

  private final Sessions sessions;
  private final CleanFilter filter;
  private final Judge judge;
  private int runs;

  Explorer(TestSchema schema) throws Exception {
    this(schema, schema.direct());
  }

  /** Explores processes that get their sessions from a data source. */
  Explorer(TestSchema schema, DataSource ofProcesses) throws Exception {
    filter = new CleanFilter(schema);
    judge = new Judge(schema, filter);
    sessions = new Sessions(ofProcesses, schema.direct());
  }

  /** Returns how many schedules were run. */
  int runs() {
    return runs;
  }

  Run run(Program program, Schedule schedule) throws Exception {
    filter.restore();
    runs++;
    return Run.of(program, schedule, sessions, filter, judge);
  }

  /** Runs the program and the schedule that a seed stands for. */
  Run run(long seed) throws Exception {
    SplittableRandom random = new SplittableRandom(seed);
    return run(Program.random(random), Schedule.random(random));
  }

  /**
   * Runs a program by all schedules of at most so many departures from the plain order, up to the
   * first that is wrong.
   *
   * @param most how many departures a schedule has at most
   * @param mostRuns if there are more schedules, so many of them at even distances
   * @return the first that is wrong, or else the run in plain order
   */
  Run runAll(Program program, int most, int mostRuns) throws Exception {
    return runEach(program, mostRuns, Collections.nCopies(most, Departure.ANY));
  }

  /**
   * Runs a program by all schedules in which one thread is overtaken once and nothing fails, up to
   * the first that is wrong.
   *
   * @param mostRuns if there are more schedules, so many of them at even distances
   */
  Run runAllSwitches(Program program, int mostRuns) throws Exception {
    return runEach(program, mostRuns, List.of(Departure.HARMLESS));
  }

  /** Which departures are wanted. */
  interface Departure {
    Departure ANY = (step, instead, choice) -> true;

    Departure HARMLESS = (step, instead, choice) -> choice.isHarmless();

    /**
     * Returns true if it is one of them.
     *
     * @param step its number
     * @param instead what happens in the plain order
     */
    boolean isWanted(int step, Choice instead, Choice choice);
  }

  /**
   * Runs a program by all schedules of some departures from the plain order that come one after the
   * other, or fewer, up to the first that is wrong.
   *
   * @param mostRuns if there are more schedules, so many of them at even distances
   * @return the first that is wrong, or else the run in plain order
   */
  Run runEach(Program program, int mostRuns, List<Departure> wanted) throws Exception {
    return runEach(program, new TreeMap<>(), mostRuns, wanted);
  }

  private Run runEach(
      Program program,
      NavigableMap<Integer, String> departures,
      int mostRuns,
      List<Departure> wanted)
      throws Exception {
    Run run = run(program, Schedule.fixed(departures));
    if (run.isWrong() || wanted.isEmpty()) {
      return run;
    }
    List<NavigableMap<Integer, String>> further = further(run, departures, wanted.get(0));
    List<Departure> later = wanted.subList(1, wanted.size());
    int taken = Math.min(further.size(), mostRuns);
    for (int i = 0; i < taken; i++) {
      NavigableMap<Integer, String> more = further.get((int) ((long) i * further.size() / taken));
      Run other = runEach(program, more, Math.max(1, mostRuns / taken), later);
      if (other.isWrong()) {
        return other;
      }
    }
    return run;
  }

  /** Returns the departures of a run with each one more that comes later. */
  private static List<NavigableMap<Integer, String>> further(
      Run run, NavigableMap<Integer, String> departures, Departure wanted) {
    List<NavigableMap<Integer, String>> further = new ArrayList<>();
    int from = departures.isEmpty() ? 0 : departures.lastKey() + 1;
    for (int step = from; step < run.choices().size(); step++) {
      List<Choice> choices = run.choices().get(step);
      for (Choice choice : choices.subList(1, choices.size())) {
        if (wanted.isWanted(step, choices.get(0), choice)) {
          NavigableMap<Integer, String> more = new TreeMap<>(departures);
          more.put(step, choice.what());
          further.add(more);
        }
      }
    }
    return further;
  }

  /**
   * Leaves out calls and departures for as long as the run is still wrong, and looks whether one or
   * two departures are enough then.
   */
  Run shortened(Run wrong) throws Exception {
    Run shortest = wrong;
    boolean shorter = true;
    while (shorter) {
      shorter = false;
      for (Program program : shortest.program().shorter()) {
        Run run = run(program, Schedule.fixed(shortest.departures()));
        if (run.isWrong()) {
          shortest = run;
          shorter = true;
          break;
        }
      }
      for (Map.Entry<Integer, String> departure : Map.copyOf(shortest.departures()).entrySet()) {
        NavigableMap<Integer, String> fewer = new TreeMap<>(shortest.departures());
        fewer.remove(departure.getKey());
        Run run = run(shortest.program(), Schedule.fixed(fewer));
        if (run.isWrong()) {
          shortest = run;
          shorter = true;
          break;
        }
      }
    }
    for (int fewer = 1; fewer <= 2 && fewer < shortest.departures().size(); fewer++) {
      Run simpler = runAll(shortest.program(), fewer, MOST_SIMPLE_RUNS);
      if (simpler.isWrong()) {
        return simpler;
      }
    }
    return shortest;
  }

  /** Tells of a wrong run, and of the shortest one that is wrong as well. */
  String told(String origin, Run wrong) throws Exception {
    Run shortest = shortened(wrong);
    StringBuilder text = new StringBuilder(origin).append('\n');
    text.append(shortest.program());
    text.append("The schedule (process.thread; * departs from the plain order):\n");
    int line = 0;
    for (String step : shortest.steps()) {
      text.append(shortest.departures().containsValue(step) ? "* " : "  ");
      text.append("%3d ".formatted(++line)).append(step).append('\n');
    }
    text.append("What the callers saw:\n");
    shortest.history().forEach(operation -> text.append("  ").append(operation).append('\n'));
    text.append("What is wrong:\n");
    shortest.violations().forEach(violation -> text.append("  ").append(violation).append('\n'));
    return text.toString();
  }

  @Override
  public void close() throws SQLException {
    sessions.close();
    filter.close();
  }
}
