package io.github.slotbloom;

/** The answer to a lookup that needs the database while it cannot be reached. Adds always throw. */
public enum WhenUnavailable {
  /** Throws {@link io.github.slotbloom.error.FilterUnavailableException}. */
  THROW,
  /**
   * Answers "maybe", which is {@code true}. There is never a false negative, but every key looks
   * seen.
   */
  ANSWER_MAYBE
}
