package io.github.slotbloom.cli.command;

import io.github.slotbloom.SlotBloom;
import io.github.slotbloom.cli.text.TimeSpan;
import io.github.slotbloom.cli.text.UtcTime;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The tasks of {@code expire}, of which one is given. */
final class ExpireTask {

  @Option(
      names = "--at",
      required = true,
      paramLabel = "TIME",
      converter = UtcTime.class,
      description = "Expire at this time by the database clock, such as 2027-01-31T00:00:00Z.")
  private @Nullable Instant at;

  @Option(
      names = "--in",
      required = true,
      paramLabel = "SPAN",
      converter = TimeSpan.class,
      description = "Expire after this time, counted from now: 90s, 30m, 12h, 7d.")
  private @Nullable Duration in;

  @Option(names = "--never", required = true, description = "Remove the expiration time.")
  private boolean never;

  /** Returns the moment; null for never. */
  @Nullable Instant moment(SlotBloom bloom) {
    if (never) {
      return null;
    }
    return in == null ? at : bloom.databaseTime().plus(in);
  }
}
