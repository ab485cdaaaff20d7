package io.github.slotbloom.perf.measure;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

/**
 * The results of contestants that took turns. The first one is ours.
 *
 * @param unit the unit of the figures
 * @param series the figures of each contestant; round i of each belongs to round i of the others
 * @param neighbours figures of the same contestants that cannot be far from these
 */
public record Comparison(
    String title,
    String unit,
    Better better,
    List<Series> series,
    List<Goal> goals,
    List<Series> neighbours) {

  /** How many times as large as another a figure may be that should be alike. */
  private static final double ALIKE = 2;

  /** Creates a comparison without neighbours. */
  public Comparison(
      String title, String unit, Better better, List<Series> series, List<Goal> goals) {
    this(title, unit, better, series, goals, List.of());
  }

  /** Returns the comparison with the figures of another one as neighbours. */
  public Comparison beside(Comparison other) {
    return new Comparison(title, unit, better, series, goals, other.series());
  }

  public Series ours() {
    return series.get(0);
  }

  public Optional<Series> find(String name) {
    return series.stream().filter(one -> one.name().equals(name)).findFirst();
  }

  /** Returns how many times as good one series is as the other, round by round. */
  public Spread timesAsGood(Series one, Series other) {
    if (one.values().length != other.values().length) {
      throw new IllegalArgumentException(
          one.name() + " and " + other.name() + " did not take the same rounds.");
    }
    return Spread.of(
        IntStream.range(0, one.values().length)
            .mapToDouble(round -> better.timesAsGood(one.values()[round], other.values()[round]))
            .toArray());
  }

  /** Returns the result for a goal. Empty if the contestant that it names did not take part. */
  public Optional<Spread> reached(Goal goal) {
    Optional<Series> other = find(goal.against());
    return find(goal.ours()).flatMap(one -> other.map(peer -> timesAsGood(one, peer)));
  }

  /**
   * Returns the comparison with one more series: that of two contestants whose median is better,
   * under a name of its own.
   */
  public Comparison withBetterOf(String one, String other, String name) {
    Series first = find(one).orElseThrow();
    Series second = find(other).orElseThrow();
    double times = better.timesAsGood(first.spread().median(), second.spread().median());
    Series best = times >= 1 ? first : second;
    return with(new Series(name, best.durability(), best.values()));
  }

  /**
   * Returns the comparison with one more series: the figures of two contestants added up, round by
   * round.
   */
  public Comparison withSum(String one, String other, String name) {
    Series first = find(one).orElseThrow();
    Series second = find(other).orElseThrow();
    double[] sums =
        IntStream.range(0, first.values().length)
            .mapToDouble(round -> first.values()[round] + second.values()[round])
            .toArray();
    return with(new Series(name, first.durability(), sums));
  }

  private Comparison with(Series one) {
    List<Series> more = new ArrayList<>(series);
    more.add(one);
    return new Comparison(title, unit, better, List.copyOf(more), goals, neighbours);
  }

  /** Returns how much greater the figures of one contestant are, round by round. */
  public Spread difference(String one, String other) {
    Series first = find(one).orElseThrow();
    Series second = find(other).orElseThrow();
    return Spread.of(
        IntStream.range(0, first.values().length)
            .mapToDouble(round -> first.values()[round] - second.values()[round])
            .toArray());
  }

  /** Returns how a goal fares. Empty if the contestant that it names did not take part. */
  public Optional<Verdict> verdict(Goal goal) {
    return reached(goal)
        .map(
            spread -> {
              if (isDoubtful(goal.ours()) || isDoubtful(goal.against())) {
                return Verdict.DOUBTFUL;
              }
              return spread.median() >= goal.timesAsGood() ? Verdict.MET : Verdict.MISSED;
            });
  }

  /** A figure that is far from those of its own rounds, or from its neighbour, tells nothing. */
  private boolean isDoubtful(String name) {
    Series one = find(name).orElseThrow();
    return one.unevenness() > ALIKE
        || neighbours.stream()
            .filter(neighbour -> neighbour.name().equals(name))
            .mapToDouble(neighbour -> one.spread().median() / neighbour.spread().median())
            .anyMatch(times -> Math.max(times, 1 / times) > ALIKE);
  }
}
