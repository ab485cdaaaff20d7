package io.github.slotbloom.perf.cases;

import io.github.slotbloom.perf.measure.CallTimes;
import io.github.slotbloom.perf.measure.Checks;
import io.github.slotbloom.perf.report.Figures;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.DoubleStream;
import java.util.stream.Stream;

/**
 * Calls of one thread, each some time after the last one was answered, so that all who take part
 * have gone to sleep by then. Each trial continues where the last one ended.
 */
final class PacedCalls {

  static final Duration APART = Duration.ofMillis(5);

  /** The trials that do not count. There the calls have no pause between them, for the compiler. */
  static final int WARM_UPS = 1;

  private static final Duration WARM_UP = Duration.ofMillis(300);

  /**
   * One contestant.
   *
   * @param falsePositiveRate the highest share of answers that may be wrong
   * @param call what is measured
   * @param afterwards what follows on a trial, and is not
   */
  record Side(
      String name, String durability, double falsePositiveRate, Call call, Afterwards afterwards) {}

  /** A call with its number. */
  @FunctionalInterface
  interface Call {
    /** {@return true if it did or answered what it should} */
    boolean make(long number) throws Exception;
  }

  /** Looks at what the calls of a trial left behind. */
  @FunctionalInterface
  interface Afterwards {
    void run(long first, long count) throws Exception;
  }

  private final Side side;
  private final int callsPerTrial;
  private final CallTimes times;
  private final long firstNanos = System.nanoTime();
  private long made;
  private long right;

  /**
   * Prepares calls.
   *
   * @param trials the trials that count
   */
  PacedCalls(Side side, int callsPerTrial, int trials) {
    this.side = side;
    this.callsPerTrial = callsPerTrial;
    times = new CallTimes(callsPerTrial * trials);
  }

  /** {@return the median of the times in milliseconds that the calls of a trial took} */
  double trial(int round) throws Exception {
    long first = made;
    long begun = System.nanoTime();
    if (round < WARM_UPS) {
      while (System.nanoTime() - begun < WARM_UP.toNanos()) {
        make();
      }
    } else {
      for (int i = 0; i < callsPerTrial; i++) {
        rest();
        long called = System.nanoTime();
        make();
        times.add(called, System.nanoTime());
      }
    }
    long ended = System.nanoTime();
    side.afterwards().run(first, made - first);
    return round < WARM_UPS ? 0 : times.percentile(begun, ended, 0.5);
  }

  private void make() throws Exception {
    right += side.call().make(made++) ? 1 : 0;
  }

  private static void rest() {
    long begun = System.nanoTime();
    long left = APART.toNanos();
    while (left > 0) {
      LockSupport.parkNanos(left);
      left = begun + APART.toNanos() - System.nanoTime();
    }
  }

  /** Checks all answers so far. */
  void check(Checks checks) {
    checks.expect(
        made - right <= Checks.most(made, side.falsePositiveRate()),
        "%s: of %,d calls %,d had the right outcome",
        side.name(),
        made,
        right);
  }

  /** {@return a row with 50, 90 and 99 % of the times of all calls that count, in milliseconds} */
  List<String> row(String call) {
    return Stream.concat(
            Stream.of(call, side.name()),
            DoubleStream.of(0.5, 0.9, 0.99)
                .mapToObj(part -> times.percentile(firstNanos, System.nanoTime(), part))
                .map(Figures::of))
        .toList();
  }
}
