package io.github.slotbloom.internal.add;

import io.github.slotbloom.core.Window;
import io.github.slotbloom.error.InvalidParameterException;
import io.github.slotbloom.internal.store.filter.FilterRecord;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Objects;

/**
 * When an event came up whose key is offered to a window, by the clock of whoever made it. That
 * clock and the one of the database may differ by {@link Window#tolerance}.
 *
 * @param micros in microseconds since the start of 1970 in UTC
 */
public record EventTime(long micros) {

  private static final long FARTHEST_SECONDS = 100_000L * 366 * 86_400;

  /** Returns the time of an event, or one a hundred thousand years away if it is further. */
  public static EventTime of(Instant at) {
    long seconds = Math.max(-FARTHEST_SECONDS, Math.min(FARTHEST_SECONDS, at.getEpochSecond()));
    return new EventTime(seconds * 1_000_000 + at.getNano() / 1000);
  }

  /**
   * Refuses an event that is still to come: its key would expire while it can still be offered.
   *
   * @throws InvalidParameterException if it is
   */
  void requireNotToCome(FilterRecord filter, long nowMicros) {
    Window window = Objects.requireNonNull(filter.window());
    if (micros - nowMicros > toleranceMicros(window)) {
      throw new InvalidParameterException(
          ("An event at %s cannot be offered to filter %s, because it is only %s by the database"
                  + " clock. Correct the clocks, or offer the event after it has happened.")
              .formatted(instant(micros), filter.name(), instant(nowMicros)));
    }
  }

  /**
   * Returns true if the event is so old that its key may have been added and have expired. A key
   * that was added when its event came up is found for the length of the window.
   */
  boolean isLate(Window window, long nowMicros) {
    return nowMicros - micros >= window.length().toMillis() * 1000 - toleranceMicros(window);
  }

  private static long toleranceMicros(Window window) {
    return window.tolerance().toNanos() / 1000;
  }

  private static Instant instant(long micros) {
    return Instant.EPOCH.plus(micros, ChronoUnit.MICROS);
  }
}
