package io.github.slotbloom;

import io.github.slotbloom.error.InvalidParameterException;
import io.github.slotbloom.internal.admin.HashSource;
import io.github.slotbloom.report.VerifyProgress;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Settings for {@link FilterAdmin#verify}. Immutable: each method that changes a setting returns a
 * changed copy.
 */
public final class VerifyOptions {

  /** The default number of random keys for measuring the error rate. */
  public static final long DEFAULT_SAMPLES = 100_000;

  /** The default seed of the random keys. The same seed gives the same keys. */
  public static final long DEFAULT_SEED = 1;

  private static final VerifyOptions DEFAULTS =
      new VerifyOptions(null, DEFAULT_SAMPLES, DEFAULT_SEED, false, progress -> {});

  private final @Nullable KeySource keys;
  private final long samples;
  private final long seed;
  private final boolean repairing;
  private final Consumer<VerifyProgress> progress;

  private VerifyOptions(
      @Nullable KeySource keys,
      long samples,
      long seed,
      boolean repairing,
      Consumer<VerifyProgress> progress) {
    this.keys = keys;
    this.samples = samples;
    this.seed = seed;
    this.repairing = repairing;
    this.progress = progress;
  }

  /**
   * {@return the default settings: no given keys, {@value #DEFAULT_SAMPLES} random keys, no repair}
   */
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
    return new VerifyOptions(
        Objects.requireNonNull(source, "source"), samples, seed, repairing, progress);
  }

  /**
   * Returns a copy with another number of random keys for measuring the error rate.
   *
   * @param number 0 or more; with 0 the error rate is not measured
   * @return a changed copy
   * @throws InvalidParameterException if it is negative
   */
  public VerifyOptions samples(long number) {
    if (number < 0) {
      throw new InvalidParameterException(
          "The error rate is measured with 0 random keys or more, but " + number + " was given.");
    }
    return new VerifyOptions(keys, number, seed, repairing, progress);
  }

  /**
   * Returns a copy with another seed of the random keys.
   *
   * @param number any number
   * @return a changed copy
   */
  public VerifyOptions seed(long number) {
    return new VerifyOptions(keys, samples, number, repairing, progress);
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
    return new VerifyOptions(keys, samples, seed, true, progress);
  }

  /**
   * Returns a copy with a listener for the progress.
   *
   * @param listener called from time to time, on the thread of the call
   * @return a changed copy
   */
  public VerifyOptions onProgress(Consumer<VerifyProgress> listener) {
    return new VerifyOptions(
        keys, samples, seed, repairing, Objects.requireNonNull(listener, "listener"));
  }

  @Nullable HashSource hashes() {
    return keys == null ? null : keys.hashes();
  }

  /** {@return the number of random keys for measuring the error rate; 0 for none} */
  public long samples() {
    return samples;
  }

  /** {@return the seed of the random keys} */
  public long seed() {
    return seed;
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
