package io.github.slotbloom.perf.measure;

import java.util.List;
import java.util.Locale;
import java.util.concurrent.CopyOnWriteArrayList;

/** Checks the answers. A wrong answer makes the case and the run fail. */
public final class Checks {

  private final List<String> failures = new CopyOnWriteArrayList<>();
  private int made;

  public synchronized void expect(boolean right, String otherwise, Object... arguments) {
    made++;
    if (!right) {
      failures.add(String.format(Locale.ROOT, otherwise, arguments));
    }
  }

  /**
   * Checks keys that were never added: all must be new, except for the false positives that the
   * rate allows.
   */
  public void newKeys(String who, long asked, long answeredNew, double falsePositiveRate) {
    expect(
        answeredNew <= asked && asked - answeredNew <= most(asked, falsePositiveRate),
        "%s: of %,d new keys %,d were answered as new",
        who,
        asked,
        answeredNew);
  }

  /** Checks keys that were added. */
  public void found(String who, long asked, long answeredSeen) {
    expect(asked == answeredSeen, "%s: of %,d added keys %,d were found", who, asked, answeredSeen);
  }

  /** Checks rows or bytes of a table that gives no answers. */
  public void stored(String who, String what, long sent, long stored) {
    expect(sent == stored, "%s: of %,d %s that were sent %,d are stored", who, sent, what, stored);
  }

  /** Checks keys that were not added, in a filter that may not be full. */
  public void absent(String who, long asked, long answeredSeen, double falsePositiveRate) {
    expect(
        answeredSeen <= most(asked, falsePositiveRate),
        "%s: of %,d absent keys %,d were answered as seen, with a false positive rate of %s",
        who,
        asked,
        answeredSeen,
        falsePositiveRate);
  }

  /** Returns six standard deviations above the mean, plus a little for small numbers. */
  public static long most(long asked, double falsePositiveRate) {
    double mean = asked * falsePositiveRate;
    return (long)
        Math.ceil(
            mean + 6 * Math.sqrt(mean * (1 - falsePositiveRate)) + (falsePositiveRate > 0 ? 3 : 0));
  }

  public List<String> failures() {
    return List.copyOf(failures);
  }

  public synchronized int made() {
    return made;
  }
}
