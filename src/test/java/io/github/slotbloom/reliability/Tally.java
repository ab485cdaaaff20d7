package io.github.slotbloom.reliability;

import io.github.slotbloom.reliability.Operation.Answer;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** What rounds came to, added up. */
final class Tally {

  private final Map<Fault, Integer> faults = new EnumMap<>(Fault.class);
  private final List<String> violations = new ArrayList<>();
  private final LongQuantiles staleness = new LongQuantiles();
  private int rounds;
  private int rotations;
  private final Map<Answer, Long> answers = new EnumMap<>(Answer.class);
  private long falsePositives;
  private long winners;
  private long unheard;
  private long violated;

  void add(Findings findings, Map<Fault, Integer> inflicted, List<String> further) {
    rounds++;
    findings.answers().forEach((answer, times) -> answers.merge(answer, times, Long::sum));
    falsePositives += findings.falsePositives();
    winners += findings.winners();
    unheard += findings.possibleWinners();
    violated += findings.violated() + further.size();
    violations.addAll(findings.violations());
    violations.addAll(further);
    staleness.addAll(findings.staleness());
    inflicted.forEach((fault, times) -> faults.merge(fault, times, Integer::sum));
  }

  List<String> violations() {
    return violations;
  }

  long operations() {
    return answers.values().stream().mapToLong(Long::longValue).sum();
  }

  long times(Answer answer) {
    return answers.getOrDefault(answer, 0L);
  }

  long falsePositives() {
    return falsePositives;
  }

  void addRotations(int more) {
    rotations += more;
  }

  int times(Fault fault) {
    return faults.getOrDefault(fault, 0);
  }

  int kills() {
    return times(Fault.KILL) + times(Fault.KILL_AT_POINT);
  }

  @Override
  public String toString() {
    String stale =
        staleness.size() == 0
            ? "no bounded answer was stale"
            : String.format(
                "%,d bounded answers were stale, by %.1f ms (median), %.1f ms (99 %%), %.1f ms (at"
                    + " most)",
                staleness.size(), millis(0.5), millis(0.99), millis(1));
    return String.format(
        "%d rounds, %,d operations checked %s, %,d false positives, %,d keys with a winner, %,d"
            + " whose winner may not have heard of it, %d rotations, %d process kills, %d server kills, faults %s;"
            + " %s; violations: %d",
        rounds,
        operations(),
        answers,
        falsePositives,
        winners,
        unheard,
        rotations,
        kills(),
        times(Fault.CRASH_SERVER),
        faults,
        stale,
        violated);
  }

  private double millis(double part) {
    return staleness.at(part) / (double) TimeUnit.MILLISECONDS.toNanos(1);
  }
}
