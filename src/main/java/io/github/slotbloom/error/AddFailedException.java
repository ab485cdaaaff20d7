package io.github.slotbloom.error;

import org.jspecify.annotations.Nullable;

/**
 * Keys could not be added. Says how much of the call is durable, and whether the part that failed
 * may be recorded all the same. Adding the same keys again is always safe; only the answer "new"
 * may be lost by it.
 */
public final class AddFailedException extends SlotBloomException {
  private static final long serialVersionUID = 1L;

  /** What is known about the keys of the part that failed. */
  public enum Outcome {
    /** None of them is recorded, and none will be. */
    NOT_RECORDED,
    /**
     * They may be recorded, or become so while the server finishes the transaction; nobody was told
     * that they are new.
     */
    UNKNOWN
  }

  private final String filter;
  private final Outcome outcome;
  private final int durableKeys;

  /**
   * @param filter the name of the filter
   * @param outcome what is known about the part that failed
   * @param durableKeys how many keys, counted from the start of the call, are durable
   */
  public AddFailedException(
      String filter, Outcome outcome, int durableKeys, String message, @Nullable Throwable cause) {
    super(message, cause);
    this.filter = filter;
    this.outcome = outcome;
    this.durableKeys = durableKeys;
  }

  public String filter() {
    return filter;
  }

  public Outcome outcome() {
    return outcome;
  }

  /**
   * How many keys, counted from the start of the call, are durable whatever {@link #outcome()} says
   * of the next ones.
   */
  public int durableKeys() {
    return durableKeys;
  }

  /** The same failure of a call whose first keys are durable. */
  public AddFailedException afterDurable(int keysBefore) {
    return keysBefore == 0
        ? this
        : new AddFailedException(
            filter,
            outcome,
            keysBefore,
            "The first " + keysBefore + " keys are durable; then: " + getMessage(),
            this);
  }
}
