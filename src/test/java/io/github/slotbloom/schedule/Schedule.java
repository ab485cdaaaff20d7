package io.github.slotbloom.schedule;

import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.random.RandomGenerator;

/** Decides what happens next in a run. */
interface Schedule {

  /** What can happen next, of which the first is what happens in the plain order. */
  record Choice(String what, Fault fault, World.Actor actor) {

    /** Returns true if everything is done in the end, and every answer comes. */
    boolean isHarmless() {
      return fault == Fault.NONE || fault == Fault.LATE_ANSWER;
    }
  }

  /** Whether something fails as a thread is let go. */
  enum Fault {
    NONE,
    /** What commits takes place, and its answer does not come. */
    LOST_ANSWER,
    /** The connection breaks, and what commits reaches the server when nothing else can happen. */
    LATE_ARRIVAL,
    /** The statement takes place, and its answer comes when nothing else can happen. */
    LATE_ANSWER,
    /** The process of the thread ends instead. */
    KILL,
    /** The server ends all sessions first. */
    CUT_ALL,
    /** All processes are frozen for a while. */
    PAUSE
  }

  /**
   * Decides.
   *
   * @return the place of what happens
   */
  int choose(int step, List<Choice> choices);

  /** Returns the schedule that departs from the plain order only where it says so. */
  static Schedule fixed(Map<Integer, String> departures) {
    return (step, choices) -> {
      String wanted = departures.get(step);
      for (int i = 0; wanted != null && i < choices.size(); i++) {
        if (choices.get(i).what().equals(wanted)) {
          return i;
        }
      }
      return 0;
    };
  }

  /** Returns one that departs from the plain order at random. */
  static Schedule random(RandomGenerator random) {
    // Some runs change between processes all the time, some hardly ever.
    double often = 0.03 + 0.4 * random.nextDouble();
    double faults = random.nextBoolean() ? 0 : 0.03;
    return (step, choices) -> {
      // Those that fail come last.
      int whole = (int) choices.stream().filter(choice -> choice.fault() == Fault.NONE).count();
      if (choices.size() > whole && random.nextDouble() < faults) {
        return whole + random.nextInt(choices.size() - whole);
      }
      return random.nextDouble() < often ? random.nextInt(whole) : 0;
    };
  }

  /** Notes where another schedule departs from the plain order. */
  final class Recorded implements Schedule {
    private final Schedule schedule;
    private final NavigableMap<Integer, String> departures = new TreeMap<>();

    Recorded(Schedule schedule) {
      this.schedule = schedule;
    }

    @Override
    public int choose(int step, List<Choice> choices) {
      int chosen = schedule.choose(step, choices);
      if (chosen > 0) {
        departures.put(step, choices.get(chosen).what());
      }
      return chosen;
    }

    NavigableMap<Integer, String> departures() {
      return departures;
    }
  }
}
