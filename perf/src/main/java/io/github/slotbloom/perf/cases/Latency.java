package io.github.slotbloom.perf.cases;

import io.github.slotbloom.perf.Bench;
import io.github.slotbloom.perf.Measurement;
import io.github.slotbloom.perf.Opened;
import io.github.slotbloom.perf.measure.TakenCore;
import io.github.slotbloom.perf.report.CaseReport;
import java.util.Locale;

/**
 * Measures how long one caller waits who calls now and then, near the servers and farther away, and
 * with a core that somebody else keeps busy.
 */
public final class Latency implements Measurement {

  @Override
  public void run(Bench bench, CaseReport report) throws Exception {
    for (Place place : Place.of(bench.scale())) {
      try (LatencyContests contests = new LatencyContests(place, bench, report);
          Opened others = new Opened()) {
        if (place.coreTaken()) {
          others.keep(new TakenCore());
        }
        contests.run();
      }
    }
    report.note(
        String.format(
            Locale.ROOT,
            "One thread calls %d ms after it was answered; a ratio is that of the medians of a"
                + " round. Farther away a proxy stands before each server, which holds back what is"
                + " sent either way for half of the round trip, and nothing for the sake of what"
                + " was sent before it. `SELECT 1` must take that much longer than without it, give"
                + " or take %s ms. A taken core is a thread that never waits.",
            PacedCalls.APART.toMillis(),
            LatencyContests.TOLERANCE_MILLIS));
  }
}
