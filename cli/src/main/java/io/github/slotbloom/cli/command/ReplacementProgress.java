package io.github.slotbloom.cli.command;

import io.github.slotbloom.cli.terminal.ProgressBar;
import io.github.slotbloom.cli.text.ChoiceName;
import io.github.slotbloom.report.Replacement;
import java.util.Locale;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** Describes the progress of a replacement, its pace and the time left. Thread-safe. */
final class ReplacementProgress {

  private static final double NANOS = 1e9;
  private static final int SECONDS_A_MINUTE = 60;

  private final LongSupplier nanoTime;
  private @Nullable Replacement first;
  private @Nullable Replacement latest;
  private long firstNanos;

  /**
   * @param nanoTime the clock, in nanoseconds
   */
  ReplacementProgress(LongSupplier nanoTime) {
    this.nanoTime = nanoTime;
  }

  synchronized void told(Replacement now) {
    // The work of another process or another pass says nothing about the pace of this one.
    if (first == null
        || latest == null
        || first.phase() != now.phase()
        || now.keysRead() < latest.keysRead()) {
      first = now;
      firstNanos = nanoTime.getAsLong();
    }
    latest = now;
  }

  synchronized String inWords() {
    if (first == null || latest == null) {
      return "Waiting until every process writes to the new generation ...";
    }
    double seconds = (nanoTime.getAsLong() - firstNanos) / NANOS;
    double pace = seconds > 0 ? (latest.keysRead() - first.keysRead()) / seconds : 0;
    return ProgressBar.of((double) latest.keysRead() / Math.max(1, latest.keysBefore()))
        + where(latest)
        + (pace > 0
            ? String.format(Locale.ROOT, ", %,.0f keys/s%s", pace, left(latest, pace))
            : "");
  }

  /** Returns the phase and the keys as part of a sentence. */
  static String where(Replacement now) {
    return String.format(
        Locale.ROOT,
        "%s: %,d of %,d keys",
        ChoiceName.of(now.phase()),
        now.keysRead(),
        now.keysBefore());
  }

  /** Returns the time left in this phase. Empty if the source has more keys than expected. */
  private static String left(Replacement now, double pace) {
    long keys = now.keysBefore() - now.keysRead();
    long seconds = Math.round(keys / pace);
    long minutes = seconds / SECONDS_A_MINUTE;
    return keys <= 0
        ? ""
        : String.format(
            Locale.ROOT,
            ", %d:%02d:%02d left",
            minutes / SECONDS_A_MINUTE,
            minutes % SECONDS_A_MINUTE,
            seconds % SECONDS_A_MINUTE);
  }

  /** Returns the latest progress, or null if there is none yet. */
  synchronized @Nullable Replacement latest() {
    return latest;
  }
}
