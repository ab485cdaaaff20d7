package io.github.slotbloom.perf.cases;

import io.github.slotbloom.perf.Opened;
import io.github.slotbloom.perf.measure.Checks;
import io.github.slotbloom.perf.measure.Crowd;
import io.github.slotbloom.perf.measure.Keys;
import io.github.slotbloom.perf.peer.Caller;
import io.github.slotbloom.perf.peer.SeenKeys;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.BiFunction;

/** Many threads that add or ask, one key per call unless told otherwise, each with its caller. */
final class CrowdOfCallers implements AutoCloseable {

  /** The distance between the threads' ranges of numbers, in bits. */
  private static final int RANGE_BITS = 36;

  private static final int MOST_THREADS = 1 << 10;

  private final SeenKeys keys;
  private final Checks checks;
  private final Duration time;
  private final Opened opened = new Opened();
  private final List<Caller> callers = new ArrayList<>();
  private final long[] next;

  CrowdOfCallers(SeenKeys keys, Checks checks, int threads, Duration time) throws Exception {
    this(keys, checks, threads, time, 0);
  }

  /**
   * Creates one of several crowds that add to the same set.
   *
   * @param number the number of this crowd, less than 1,000
   */
  CrowdOfCallers(SeenKeys keys, Checks checks, int threads, Duration time, int number)
      throws Exception {
    this.keys = keys;
    this.checks = checks;
    this.time = time;
    for (int thread = 0; thread < threads; thread++) {
      callers.add(opened.keep(keys.caller()));
    }
    next = new long[threads];
    Arrays.setAll(next, thread -> (number * MOST_THREADS + thread + 1L) << RANGE_BITS);
  }

  /** Does the same as {@link #add(int)}, one key a call. */
  double add() throws Exception {
    return add(1);
  }

  /**
   * {@return new keys per second} Afterwards, outside the measured time, checks that all keys are
   * found.
   *
   * @param batch the keys of a call
   */
  double add(int batch) throws Exception {
    long[] first = next.clone();
    long[] isNew = new long[next.length];
    double rate =
        batch
            * rate(
                (caller, thread) ->
                    () -> {
                      isNew[thread] +=
                          batch == 1
                              ? (caller.add(Keys.text(next[thread])) ? 1 : 0)
                              : caller.addEach(Keys.texts(next[thread], batch));
                      next[thread] += batch;
                    });
    long asked = 0;
    for (int thread = 0; thread < next.length; thread++) {
      long added = next[thread] - first[thread];
      Batches.requireFound(keys, callers.get(thread), checks, first[thread], added);
      asked += added;
    }
    checks.newKeys(keys.name(), asked, Arrays.stream(isNew).sum(), keys.falsePositiveRate());
    return rate;
  }

  /**
   * Asks for keys that were never added.
   *
   * @param absent the keys, created in advance because creating a text takes as long as some
   *     answers
   * @return lookups per second
   */
  double ask(List<String> absent) throws Exception {
    Asked asked = ask(absent, 1);
    // Keys repeat, and so do their false positives: the rate over all lookups counts.
    double part = asked.keys == 0 ? 0 : (double) asked.seen / asked.keys;
    int distinct = (int) Math.min(asked.keys, absent.size());
    checks.absent(keys.name(), distinct, Math.round(part * distinct), keys.falsePositiveRate());
    return asked.perSecond;
  }

  /**
   * Asks for keys that were added before.
   *
   * @param batch the keys of a call; all keys are a multiple of it
   * @return lookups per second
   */
  double askAdded(List<String> added, int batch) throws Exception {
    Asked asked = ask(added, batch);
    checks.found(keys.name(), asked.keys, asked.seen);
    return asked.perSecond;
  }

  private record Asked(double perSecond, long keys, long seen) {}

  private Asked ask(List<String> some, int batch) throws Exception {
    long[] asked = new long[callers.size()];
    long[] seen = new long[callers.size()];
    int calls = some.size() / batch;
    double rate =
        rate(
            (caller, thread) -> {
              int[] at = {(int) ((long) calls * thread / callers.size())};
              return () -> {
                int from = at[0]++ % calls * batch;
                seen[thread] +=
                    batch == 1
                        ? (caller.mightContain(some.get(from)) ? 1 : 0)
                        : caller.seen(some.subList(from, from + batch));
                asked[thread] += batch;
              };
            });
    return new Asked(batch * rate, Arrays.stream(asked).sum(), Arrays.stream(seen).sum());
  }

  private double rate(BiFunction<Caller, Integer, Crowd.Work> work) throws Exception {
    return Crowd.rate(callers.size(), time, thread -> work.apply(callers.get(thread), thread));
  }

  @Override
  public void close() throws Exception {
    opened.close();
  }
}
