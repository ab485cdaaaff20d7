package io.github.slotbloom.perf.cases;

import io.github.slotbloom.perf.measure.Checks;
import io.github.slotbloom.perf.measure.Keys;
import io.github.slotbloom.perf.peer.Caller;
import io.github.slotbloom.perf.peer.SeenKeys;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** One caller that asks for keys in batches, every other one of which was added. */
final class Lookups implements AutoCloseable {

  /** The batches are asked for again and again, so there need not be many. */
  private static final int MOST_BATCHES = 500;

  private final SeenKeys keys;
  private final Caller caller;
  private final Checks checks;
  private final List<List<String>> batches = new ArrayList<>();
  private final Duration time;

  /** Asks for the present keys from first on, and for as many others. */
  Lookups(SeenKeys keys, Checks checks, int batch, long first, int present, Duration time)
      throws Exception {
    this.keys = keys;
    this.caller = keys.caller();
    this.checks = checks;
    this.time = time;
    int half = Math.max(1, batch / 2);
    for (int from = 0; from + half <= present && batches.size() < MOST_BATCHES; from += half) {
      List<String> some = new ArrayList<>(2 * half);
      for (int i = from; i < from + half; i++) {
        some.add(Keys.text(first + i));
        some.add(Keys.text(Keys.ABSENT + i));
      }
      batches.add(some);
    }
  }

  /** {@return answers per second} */
  double trial() throws Exception {
    long asked = 0;
    long seen = 0;
    int next = 0;
    long begun = System.nanoTime();
    long end = begun + time.toNanos();
    do {
      List<String> some = batches.get(next);
      seen += caller.seen(some);
      asked += some.size();
      next = (next + 1) % batches.size();
    } while (System.nanoTime() < end);
    double seconds = (System.nanoTime() - begun) / 1e9;
    long present = asked / 2;
    checks.expect(
        seen >= present, "%s: of %,d added keys %,d were found", keys.name(), present, seen);
    return asked / seconds;
  }

  @Override
  public void close() throws Exception {
    caller.close();
  }
}
