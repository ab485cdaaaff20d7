package io.github.slotbloom.perf.measure;

import java.util.List;
import java.util.Locale;
import java.util.concurrent.CopyOnWriteArrayList;

/** Whether the answers were right. One that was wrong makes the case, and the run, fail. */
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
   * Keys that were never added before: each is new, save for the false positives that the error
   * rate allows.
   */
  public void newKeys(String who, long asked, long answeredNew, double errorRate) {
    expect(
        answeredNew <= asked && asked - answeredNew <= most(asked, errorRate),
        "%s: of %,d new keys %,d were answered as new",
        who,
        asked,
        answeredNew);
  }

  /** Keys that were added. */
  public void found(String who, long asked, long answeredSeen) {
    expect(asked == answeredSeen, "%s: of %,d added keys %,d were found", who, asked, answeredSeen);
  }

  /** Keys that were not added, in a filter that may be emptier than it was made for. */
  public void absent(String who, long asked, long answeredSeen, double errorRate) {
    expect(
        answeredSeen <= most(asked, errorRate),
        "%s: of %,d absent keys %,d were answered as seen, with an error rate of %s",
        who,
        asked,
        answeredSeen,
        errorRate);
  }

  /** Six standard deviations above the mean, and a little for small numbers. */
  public static long most(long asked, double errorRate) {
    double mean = asked * errorRate;
    return (long) Math.ceil(mean + 6 * Math.sqrt(mean * (1 - errorRate)) + (errorRate > 0 ? 3 : 0));
  }

  public List<String> failures() {
    return List.copyOf(failures);
  }

  public synchronized int made() {
    return made;
  }
}
