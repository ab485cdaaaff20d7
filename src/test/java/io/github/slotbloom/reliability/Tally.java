package io.github.slotbloom.reliability;

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
  private long operations;
  private long winners;
  private long unheard;
  private long violated;

  void add(Findings findings, Map<Fault, Integer> inflicted, List<String> further) {
    rounds++;
    operations += findings.operations();
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
    return operations;
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
        "%d rounds, %,d operations checked, %,d keys with a winner, %,d whose winner may not have"
            + " heard of it, %d process kills, %d server kills, faults %s; %s; violations: %d",
        rounds,
        operations,
        winners,
        unheard,
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
