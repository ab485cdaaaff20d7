package io.github.slotbloom;

import io.github.slotbloom.error.InvalidParameterException;
import java.util.Objects;
import java.util.function.Consumer;

/** How {@link FilterAdmin#replace} goes about it. Immutable. */
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

  /** {@return as fast as it goes, only if all keys are there, telling nobody} */
  public static ReplaceOptions defaults() {
    return DEFAULTS;
  }

  /**
   * The same with a limit to how fast keys are replayed.
   *
   * @param keys 1 a second at least
   * @return a changed copy
   * @throws InvalidParameterException if it is less
   */
  public ReplaceOptions keysPerSecond(long keys) {
    if (keys < 1) {
      throw new InvalidParameterException(
          "Keys are replayed at a rate of 1 a second at least, but " + keys + " was given.");
    }
    return new ReplaceOptions(keys, forced, progress);
  }

  /**
   * The same, but going on where the source brings fewer distinct keys than the filter has counted.
   * Those that it does not bring are no longer in the filter then.
   *
   * @return a changed copy
   */
  public ReplaceOptions forced() {
    return new ReplaceOptions(keysPerSecond, true, progress);
  }

  /**
   * The same, telling how far it is.
   *
   * @param listener called after each batch of keys, on the thread of the call
   * @return a changed copy
   */
  public ReplaceOptions onProgress(Consumer<Replacement> listener) {
    return new ReplaceOptions(keysPerSecond, forced, Objects.requireNonNull(listener, "listener"));
  }

  /** {@return how many keys are replayed a second at most; Long.MAX_VALUE without a limit} */
  public long keysPerSecond() {
    return keysPerSecond;
  }

  /** {@return whether it is opened though the source lacks keys} */
  public boolean isForced() {
    return forced;
  }

  /** {@return the listener that hears how far it is} */
  public Consumer<Replacement> progress() {
    return progress;
  }
}
