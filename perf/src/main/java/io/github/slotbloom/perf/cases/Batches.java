package io.github.slotbloom.perf.cases;

import io.github.slotbloom.perf.measure.Checks;
import io.github.slotbloom.perf.measure.Keys;
import io.github.slotbloom.perf.peer.Caller;
import io.github.slotbloom.perf.peer.SeenKeys;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Adds new keys in batches from one caller. Each trial continues where the last one ended. */
final class Batches implements AutoCloseable {

  private static final int ASKED_AT_ONCE = 1_000;

  private final SeenKeys keys;
  private final Caller caller;
  private final Checks checks;
  private final int batch;
  private final int mostKeys;
  private final Duration mostTime;
  private long next;
  private long added;

  Batches(SeenKeys keys, Checks checks, int batch, int mostKeys, Duration mostTime)
      throws Exception {
    this(keys, checks, batch, mostKeys, mostTime, 0);
  }

  /** Begins after the existing keys. */
  Batches(SeenKeys keys, Checks checks, int batch, int mostKeys, Duration mostTime, long first)
      throws Exception {
    this.keys = keys;
    this.caller = keys.caller();
    this.checks = checks;
    this.batch = batch;
    this.mostKeys = mostKeys;
    this.mostTime = mostTime;
    next = first;
  }

  /**
   * {@return keys per second} Afterwards, outside the measured time, checks that all keys are
   * found.
   */
  double trial() throws Exception {
    List<List<String>> batches = new ArrayList<>();
    for (int done = 0; done < mostKeys; done += batch) {
      batches.add(Keys.texts(next + done, Math.min(batch, mostKeys - done)));
    }
    long asked = 0;
    long isNew = 0;
    int sent = 0;
    long begun = System.nanoTime();
    long end = begun + mostTime.toNanos();
    do {
      List<String> some = batches.get(sent++);
      isNew += caller.addEach(some);
      asked += some.size();
    } while (sent < batches.size() && System.nanoTime() < end);
    double seconds = (System.nanoTime() - begun) / 1e9;
    next += asked;
    added = asked;
    checks.newKeys(keys.name(), asked, isNew, keys.falsePositiveRate());
    return asked / seconds;
  }

  /** {@return the number of keys that the last trial added} */
  long added() {
    return added;
  }

  /** Adds new keys, and checks the answers, where the time does not matter. */
  static void add(SeenKeys keys, Caller caller, Checks checks, long first, int count)
      throws Exception {
    long isNew = 0;
    for (List<String> some : Keys.inParts(first, count)) {
      isNew += caller.addEach(some);
    }
    checks.newKeys(keys.name(), count, isNew, keys.falsePositiveRate());
  }

  void requireFound() throws Exception {
    requireFound(keys, caller, checks, next - added, added);
  }

  static void requireFound(SeenKeys keys, Caller caller, Checks checks, long first, long count)
      throws Exception {
    long found = 0;
    for (List<String> some : Keys.inParts(first, count, ASKED_AT_ONCE)) {
      found += caller.seen(some);
    }
    checks.found(keys.name(), count, found);
  }

  static void requireAbsent(SeenKeys keys, Checks checks, int count) throws Exception {
    requireAbsent(keys, checks, count, keys.falsePositiveRate());
  }

  static void requireAbsent(SeenKeys keys, Checks checks, int count, double falsePositiveRate)
      throws Exception {
    try (Caller caller = keys.caller()) {
      long seen = 0;
      for (List<String> some : Keys.inParts(Keys.ABSENT, count, ASKED_AT_ONCE)) {
        seen += caller.seen(some);
      }
      checks.absent(keys.name(), count, seen, falsePositiveRate);
    }
  }

  @Override
  public void close() throws Exception {
    caller.close();
  }
}
