package io.github.slotbloom.error;

/**
 * Keys were not added because the filter was created with {@code OnFull.REFUSE} and has no room for
 * all that are new among them. None of the keys of the call is recorded, unless {@link
 * WriteFailedException} wraps this one and says that the first ones are.
 */
public final class FilterFullException extends SlotBloomException {
  private static final long serialVersionUID = 1L;

  /**
   * @serial name of the filter
   */
  private final String filter;

  /**
   * @serial keys that the filter held
   */
  private final long keysAdded;

  /**
   * @serial keys that the filter is sized for
   */
  private final long capacity;

  /**
   * Made under the lock of the filter, so the numbers are exact.
   *
   * @param filter the name of the filter
   * @param shown the name as messages show it
   * @param keysAdded how many keys it holds
   * @param capacity its capacity in keys
   */
  public FilterFullException(String filter, String shown, long keysAdded, long capacity) {
    super(
        ("Filter %s is full: it has a capacity of %s keys and holds %s, so the new keys do not all"
                + " fit. None of them was recorded. Raise the capacity (slotbloom grow), or use a"
                + " larger filter.")
            .formatted(shown, capacity, keysAdded));
    this.filter = filter;
    this.keysAdded = keysAdded;
    this.capacity = capacity;
  }

  /** {@return the name of the filter} */
  public String filter() {
    return filter;
  }

  /** {@return how many keys the filter held when it refused} */
  public long keysAdded() {
    return keysAdded;
  }

  /** {@return the capacity of the filter in keys} */
  public long capacity() {
    return capacity;
  }
}
