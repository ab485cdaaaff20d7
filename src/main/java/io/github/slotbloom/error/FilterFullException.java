package io.github.slotbloom.error;

/**
 * Keys were not added because the filter was reserved with {@code WhenFull.REFUSE} and has no room
 * for all that are new among them. None of the keys of the call is recorded, unless {@link
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
   * @serial keys that the filter was made for
   */
  private final long capacity;

  /**
   * Made under the lock of the filter, so the numbers are exact.
   *
   * @param filter the name of the filter
   * @param shown the name as messages show it
   * @param keysAdded how many keys it holds
   * @param capacity how many it was made for
   */
  public FilterFullException(String filter, String shown, long keysAdded, long capacity) {
    super(
        ("Filter %s is full: it was made for %s keys and holds %s, and there is no room for"
                + " all of the new ones. None of them is recorded. Let it grow (slotbloom grow),"
                + " or use one of larger capacity.")
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

  /** {@return how many keys the filter was made for} */
  public long capacity() {
    return capacity;
  }
}
