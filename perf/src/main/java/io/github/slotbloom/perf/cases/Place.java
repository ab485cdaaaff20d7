package io.github.slotbloom.perf.cases;

import io.github.slotbloom.perf.Scale;
import io.github.slotbloom.perf.report.Figures;
import java.time.Duration;
import java.util.List;
import java.util.OptionalDouble;
import java.util.stream.Stream;

/**
 * Where a caller is.
 *
 * @param roundTrip the time that a round trip to a server takes longer than over the direct line
 * @param coreTaken true if other work keeps one core busy
 */
record Place(Duration roundTrip, boolean coreTaken) {

  private static final Duration BETWEEN = Duration.ofNanos(500_000);
  private static final Duration FAR = Duration.ofMillis(2);

  /** {@return the places to measure at} A quick look is at two that have goals. */
  static List<Place> of(Scale scale) {
    return scale.isQuick()
        ? List.of(new Place(FAR, false), new Place(Duration.ZERO, true))
        : Stream.of(Duration.ZERO, BETWEEN, FAR)
            .flatMap(trip -> Stream.of(new Place(trip, false), new Place(trip, true)))
            .toList();
  }

  boolean isDirect() {
    return roundTrip.isZero();
  }

  boolean isFar() {
    return roundTrip.equals(FAR);
  }

  double millis() {
    return roundTrip.toNanos() / 1e6;
  }

  /** {@return how many times as long as a statement of the caller's a call may take} */
  OptionalDouble goal() {
    if (isFar()) {
      return OptionalDouble.of(1.1);
    }
    return isDirect() && coreTaken ? OptionalDouble.of(1.5) : OptionalDouble.empty();
  }

  @Override
  public String toString() {
    return (isDirect() ? "direct" : Figures.of(millis()) + " ms away")
        + (coreTaken ? ", a core taken" : "");
  }
}
