package io.github.slotbloom.error;

import org.jspecify.annotations.Nullable;

/**
 * Thrown when keys could not be added or removed. It says how many keys of the call are durably
 * added or removed, and whether the failed part may be recorded anyway. The same call again is
 * always safe; only the answer "new", or that this call took the key out, may be lost.
 */
public final class WriteFailedException extends SlotBloomException {
  private static final long serialVersionUID = 1L;

  /** The known outcome for the keys of the part that failed. */
  public enum Outcome {
    /** Nothing of it is recorded, and nothing will be. */
    NOT_RECORDED,
    /**
     * Their addition or removal may be recorded, or become so while the server finishes the
     * transaction; nobody was told so.
     */
    UNKNOWN
  }

  /**
   * @serial name of the filter
   */
  private final String filter;

  /**
   * @serial what is known about the part that failed
   */
  private final Outcome outcome;

  /**
   * @serial durable keys, counted from the start of the call
   */
  private final int durableKeys;

  /**
   * Creates the exception; thrown when the time is up, or trying again makes no sense.
   *
   * @param filter the name of the filter
   * @param outcome what is known about the part that failed
   * @param durableKeys how many keys, counted from the start of the call, are durable
   * @param message names the filter, the value and the remedy
   * @param cause what the database or its driver threw, if anything
   */
  public WriteFailedException(
      String filter, Outcome outcome, int durableKeys, String message, @Nullable Throwable cause) {
    super(message, cause);
    this.filter = filter;
    this.outcome = outcome;
    this.durableKeys = durableKeys;
  }

  /** {@return the name of the filter} */
  public String filter() {
    return filter;
  }

  /** {@return what is known about the keys of the part that failed} */
  public Outcome outcome() {
    return outcome;
  }

  /**
   * {@return how many keys, counted from the start of the call, are durable whatever {@link
   * #outcome()} says of the next ones}
   */
  public int durableKeys() {
    return durableKeys;
  }

  /**
   * The same failure of a call whose first keys are durable.
   *
   * @param keysBefore how many those are; with 0 this is returned as it is
   * @return a failure whose cause is this
   */
  public WriteFailedException afterDurable(int keysBefore) {
    return keysBefore == 0
        ? this
        : new WriteFailedException(
            filter,
            outcome,
            keysBefore,
            "The first " + keysBefore + " keys are durable; then: " + getMessage(),
            this);
  }
}
