package io.github.slotbloom;

/**
 * What a question answers when the database is needed and cannot be reached. Adding always throws.
 */
public enum WhenUnavailable {
  /** Throws {@link io.github.slotbloom.error.FilterUnavailableException}. */
  THROW,
  /** Answers "maybe", which is true: never a false negative, but every key looks seen. */
  ANSWER_MAYBE
}
