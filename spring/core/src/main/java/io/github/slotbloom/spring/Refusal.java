package io.github.slotbloom.spring;

/** How a call of a {@link Deduplicate} method ends that does not run the method. */
public enum Refusal {
  /**
   * The call returns at once: nothing from a {@code void} method, {@code false} from one that
   * returns {@code boolean} or {@code Boolean}, an empty {@code Optional} ({@code OptionalInt} and
   * the like too), and null from one that returns any other object.
   */
  SKIP,
  /** The call throws {@link DuplicateCallException} or {@link ExpiredCallException}. */
  FAIL
}
