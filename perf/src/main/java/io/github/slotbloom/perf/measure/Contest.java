package io.github.slotbloom.perf.measure;

import java.util.ArrayList;
import java.util.List;

/**
 * Lets contestants take turns in each round, so that disturbances of the machine affect them all
 * alike. The first contestant changes from round to round.
 */
public final class Contest {

  private interface Turn {
    double[] run(int round) throws Exception;
  }

  private record Contestant(Turn turn, List<Column> columns) {}

  private record Column(String name, String durability, List<Double> figures) {
    Series series() {
      return new Series(
          name, durability, figures.stream().mapToDouble(Double::doubleValue).toArray());
    }
  }

  private final String title;
  private final String unit;
  private final Better better;
  private final List<Contestant> contestants = new ArrayList<>();
  private final List<Goal> goals = new ArrayList<>();

  public Contest(String title, String unit, Better better) {
    this.title = title;
    this.unit = unit;
    this.better = better;
  }

  /** Adds a contestant. The first one is ours. */
  public Contest enter(String name, String durability, Trial trial) {
    return enter(round -> new double[] {trial.run(round)}, List.of(column(name, durability)));
  }

  /** Adds a contestant whose trials return two figures. */
  public Contest enter(String name, String second, String durability, Trial.OfTwo trial) {
    return enter(
        round -> {
          Trial.Two figures = trial.run(round);
          return new double[] {figures.first(), figures.second()};
        },
        List.of(column(name, durability), column(second, durability)));
  }

  private Contest enter(Turn turn, List<Column> columns) {
    contestants.add(new Contestant(turn, columns));
    return this;
  }

  private static Column column(String name, String durability) {
    return new Column(name, durability, new ArrayList<>());
  }

  /** Sets a goal for the first contestant. */
  public Contest goal(String against, double timesAsGood, String words) {
    return goal(contestants.get(0).columns().get(0).name(), against, timesAsGood, words);
  }

  /** Sets a goal for another contestant of ours. */
  public Contest goal(String ours, String against, double timesAsGood, String words) {
    return goal(new Goal(ours, against, timesAsGood, words));
  }

  /** Sets a goal. */
  public Contest goal(Goal goal) {
    goals.add(goal);
    return this;
  }

  public Comparison run(int warmUps, int rounds) throws Exception {
    for (int round = 0; round < warmUps + rounds; round++) {
      for (int turn = 0; turn < contestants.size(); turn++) {
        Contestant contestant = contestants.get((round + turn) % contestants.size());
        double[] figures = contestant.turn().run(round);
        for (int i = 0; i < figures.length && round >= warmUps; i++) {
          contestant.columns().get(i).figures().add(figures[i]);
        }
      }
    }
    List<Series> series =
        contestants.stream()
            .flatMap(contestant -> contestant.columns().stream())
            .map(Column::series)
            .toList();
    return new Comparison(title, unit, better, series, List.copyOf(goals));
  }
}
