package io.github.slotbloom;

import io.github.slotbloom.internal.transfer.HashSource;
import io.github.slotbloom.report.VerifyProgress;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Settings for {@link FilterAdmin#verify}. Immutable: each method that changes a setting returns a
 * changed copy.
 */
public final class VerifyOptions {

  private static final VerifyOptions DEFAULTS = new VerifyOptions(null, false, progress -> {});

  private final @Nullable KeySource keys;
  private final boolean repairing;
  private final Consumer<VerifyProgress> progress;

  private VerifyOptions(
      @Nullable KeySource keys, boolean repairing, Consumer<VerifyProgress> progress) {
    this.keys = keys;
    this.repairing = repairing;
    this.progress = progress;
  }

  /** {@return the default settings: no given keys, no repair} */
  public static VerifyOptions defaults() {
    return DEFAULTS;
  }

  /**
   * Returns a copy with keys that were all added before. Each of them must be in the filter.
   *
   * @param source returns the keys
   * @return a changed copy
   */
  public VerifyOptions keys(KeySource source) {
    return new VerifyOptions(Objects.requireNonNull(source, "source"), repairing, progress);
  }

  /**
   * Returns a copy that repairs everything that can be repaired without a guess. Bits that a
   * recorded hash needs are set again, in the slots and, through the journal, in all processes.
   * Rows and bits beyond the bit arrays are removed. The report lists the repairs, and the findings
   * that remain after them.
   *
   * @return a changed copy
   */
  public VerifyOptions repairing() {
    return new VerifyOptions(keys, true, progress);
  }

  /**
   * Returns a copy with a listener for the progress.
   *
   * @param listener called from time to time, on the thread of the call
   * @return a changed copy
   */
  public VerifyOptions onProgress(Consumer<VerifyProgress> listener) {
    return new VerifyOptions(keys, repairing, Objects.requireNonNull(listener, "listener"));
  }

  @Nullable HashSource hashes() {
    return keys == null ? null : keys.hashes();
  }

  /** {@return true if everything that needs no guess is repaired} */
  public boolean isRepairing() {
    return repairing;
  }

  /** {@return the listener for the progress} */
  public Consumer<VerifyProgress> progress() {
    return progress;
  }
}
