package io.github.slotbloom;

import io.github.slotbloom.error.InvalidParameterException;
import io.github.slotbloom.report.Replacement;
import java.util.Objects;
import java.util.function.Consumer;

/**
 * Settings for {@link FilterAdmin#replace}. Immutable: each method that changes a setting returns a
 * changed copy.
 */
public final class ReplaceOptions {

  private static final ReplaceOptions DEFAULTS =
      new ReplaceOptions(Long.MAX_VALUE, false, progress -> {});

  private final long keysPerSecond;
  private final boolean forced;
  private final Consumer<Replacement> progress;

  private ReplaceOptions(long keysPerSecond, boolean forced, Consumer<Replacement> progress) {
    this.keysPerSecond = keysPerSecond;
    this.forced = forced;
    this.progress = progress;
  }

  /** {@return the default settings: no limit to the speed, all keys required, no listener} */
  public static ReplaceOptions defaults() {
    return DEFAULTS;
  }

  /**
   * Returns a copy with a limit to the speed at which keys are replayed.
   *
   * @param keys keys per second, at least 1
   * @return a changed copy
   * @throws InvalidParameterException if it is less
   */
  public ReplaceOptions keysPerSecond(long keys) {
    if (keys < 1) {
      throw new InvalidParameterException(
          "The replay rate must be at least 1 key per second, but " + keys + " was given.");
    }
    return new ReplaceOptions(keys, forced, progress);
  }

  /**
   * Returns a copy that finishes even if the source returns fewer distinct keys than the filter has
   * counted. Keys that the source does not return are then no longer in the filter, though they
   * stay counted. A filter that retains hashes refuses that, unless they are the source.
   *
   * @return a changed copy
   */
  public ReplaceOptions forced() {
    return new ReplaceOptions(keysPerSecond, true, progress);
  }

  /**
   * Returns a copy with a listener for the progress.
   *
   * @param listener called after each batch of keys, on the thread of the call
   * @return a changed copy
   */
  public ReplaceOptions onProgress(Consumer<Replacement> listener) {
    return new ReplaceOptions(keysPerSecond, forced, Objects.requireNonNull(listener, "listener"));
  }

  /**
   * {@return the highest number of keys replayed per second; {@link Long#MAX_VALUE} without a
   * limit}
   */
  public long keysPerSecond() {
    return keysPerSecond;
  }

  /** {@return true if the replacement finishes even if the source lacks keys} */
  public boolean isForced() {
    return forced;
  }

  /** {@return the listener for the progress} */
  public Consumer<Replacement> progress() {
    return progress;
  }
}
