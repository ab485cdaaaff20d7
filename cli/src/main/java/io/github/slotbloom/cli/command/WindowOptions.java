package io.github.slotbloom.cli.command;

import io.github.slotbloom.FilterSpec;
import io.github.slotbloom.cli.UsageException;
import io.github.slotbloom.cli.terminal.Wording;
import io.github.slotbloom.cli.text.TimeSpan;
import io.github.slotbloom.core.Window;
import io.github.slotbloom.error.InvalidParameterException;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The options that say how long keys of a new filter are found. */
final class WindowOptions {

  /** Whole weeks are cut into days. */
  private static final int USUAL_BUCKETS = 7;

  /** Any other number of seconds can be cut into eight. */
  private static final int OTHER_BUCKETS = 8;

  @Option(
      names = "--window",
      required = true,
      paramLabel = "SPAN",
      converter = TimeSpan.class,
      description =
          "Let keys expire: each key is found for this time after it was added, and for at most one"
              + " bucket longer: 90s, 30m, 12h, 7d. The capacity is the number of distinct keys in"
              + " this time.")
  private @Nullable Duration length;

  @Option(
      names = "--buckets",
      paramLabel = "N",
      description =
          "Number of buckets in the window; keys expire a bucket at a time. Default: 7 if the"
              + " window divides into 7, as 7d does, otherwise 8.")
  private @Nullable Integer buckets;

  @Option(names = "--renew", description = "Extend a key's lifetime whenever it is added again.")
  private boolean renews;

  boolean given() {
    return length != null;
  }

  /**
   * Returns the window.
   *
   * @throws UsageException if there can be none of that length in that many buckets
   */
  Optional<Window> window() {
    if (length == null) {
      return Optional.empty();
    }
    try {
      return Optional.of(new Window(length, buckets(length), renews));
    } catch (InvalidParameterException e) {
      // The library writes the time as Java does.
      throw new UsageException(
          Wording.oneLine(e.getMessage()).replace(length.toString(), TimeSpan.of(length)), e);
    }
  }

  private int buckets(Duration whole) {
    if (buckets != null) {
      return buckets;
    }
    return whole.toMillis() % USUAL_BUCKETS == 0 ? USUAL_BUCKETS : OTHER_BUCKETS;
  }

  void applyTo(FilterSpec.Builder<?> spec) {
    window()
        .ifPresent(
            window -> {
              spec.window(window.length(), window.buckets());
              if (window.renews()) {
                spec.renew();
              }
            });
  }

  /** Returns the options as they were given. */
  String text() {
    return "--window "
        + (length == null ? "" : TimeSpan.of(length))
        + (buckets == null ? "" : " --buckets " + buckets)
        + (renews ? " --renew" : "");
  }

  /** Returns true if a filter is as the given options say, whatever it is otherwise. */
  boolean agreesWith(Optional<Window> stored) {
    return length == null
        || (stored.isPresent()
            && stored.get().length().equals(length)
            && (buckets == null || stored.get().buckets() == buckets)
            && (!renews || stored.get().renews()));
  }
}
