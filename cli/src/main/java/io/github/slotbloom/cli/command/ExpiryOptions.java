package io.github.slotbloom.cli.command;

import io.github.slotbloom.SlotBloom;
import io.github.slotbloom.cli.text.TimeSpan;
import io.github.slotbloom.cli.text.UtcTime;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The options that say when a new filter expires: one of them at most. */
final class ExpiryOptions {

  @Option(
      names = "--expires-at",
      paramLabel = "TIME",
      converter = UtcTime.class,
      description =
          "Let the filter expire at this time by the database clock, such as 2027-01-31T00:00:00Z."
              + " Default: never.")
  private @Nullable Instant at;

  @Option(
      names = "--expires-in",
      paramLabel = "SPAN",
      converter = TimeSpan.class,
      description = "Let the filter expire after this time: 90s, 30m, 12h, 7d.")
  private @Nullable Duration in;

  /** Returns the moment; null if none was given. */
  @Nullable Instant moment(SlotBloom bloom) {
    return in == null ? at : bloom.databaseTime().plus(in);
  }
}
