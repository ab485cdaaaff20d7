package io.github.slotbloom;

import io.github.slotbloom.error.InvalidParameterException;
import io.github.slotbloom.internal.admin.HashSource;
import io.github.slotbloom.report.VerifyProgress;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** How {@link FilterAdmin#verify} goes about it. Immutable. */
public final class VerifyOptions {

  /** How many random keys the error rate is measured with. */
  public static final long DEFAULT_SAMPLES = 100_000;

  /** Makes the same random keys each time. */
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

  /** {@return no keys given, {@value #DEFAULT_SAMPLES} random ones, nothing repaired} */
  public static VerifyOptions defaults() {
    return DEFAULTS;
  }

  /**
   * The same with keys that were all added before: each of them has to be in the filter.
   *
   * @param source brings the keys
   * @return a changed copy
   */
  public VerifyOptions keys(KeySource source) {
    return new VerifyOptions(
        Objects.requireNonNull(source, "source"), samples, seed, repairing, progress);
  }

  /**
   * The same with so many random keys to measure the error rate.
   *
   * @param number 0 for none
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
   * The same with other random keys.
   *
   * @param number any
   * @return a changed copy
   */
  public VerifyOptions seed(long number) {
    return new VerifyOptions(keys, samples, number, repairing, progress);
  }

  /**
   * The same, mending what needs no guess: bits that a recorded hash needs are set again, in the
   * slots and, by the journal, in all processes; rows and bits beyond the bit arrays are taken
   * away. The report says what was mended, and what was found afterwards.
   *
   * @return a changed copy
   */
  public VerifyOptions repairing() {
    return new VerifyOptions(keys, samples, seed, true, progress);
  }

  /**
   * The same, telling how far it is.
   *
   * @param listener called now and then, on the thread of the call
   * @return a changed copy
   */
  public VerifyOptions onProgress(Consumer<VerifyProgress> listener) {
    return new VerifyOptions(
        keys, samples, seed, repairing, Objects.requireNonNull(listener, "listener"));
  }

  @Nullable HashSource hashes() {
    return keys == null ? null : keys.hashes();
  }

  /** {@return random keys to measure the error rate with; 0 for none} */
  public long samples() {
    return samples;
  }

  /** {@return the seed of those keys} */
  public long seed() {
    return seed;
  }

  /** {@return whether what needs no guess is repaired} */
  public boolean isRepairing() {
    return repairing;
  }

  /** {@return the listener that hears how far it is} */
  public Consumer<VerifyProgress> progress() {
    return progress;
  }
}
