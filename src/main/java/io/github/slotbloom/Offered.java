package io.github.slotbloom;

/** The answer to {@link BloomFilter#offer}. */
public enum Offered {
  /** The key was not in the window, and is now. At most one of several callers is told so. */
  NEW,
  /** The key was in the window before, or is a false positive. */
  SEEN,
  /**
   * The key is not in the window, but came up so long ago that it may have been in it and have
   * expired. It was not added.
   */
  EXPIRED;

  /**
   * Returns an answer.
   *
   * @param fresh true if the key was added
   * @param expired true if it came up too long ago
   * @return the answer
   */
  public static Offered of(boolean fresh, boolean expired) {
    return expired ? EXPIRED : fresh ? NEW : SEEN;
  }
}
