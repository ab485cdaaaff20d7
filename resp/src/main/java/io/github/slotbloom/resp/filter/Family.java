package io.github.slotbloom.resp.filter;

import io.github.slotbloom.FilterStatus;

/** The two kinds of filters that Redis' commands tell apart. */
public enum Family {
  /** Keys are added and stay: {@code BF.*}. */
  BLOOM("MBbloom--"),
  /** Keys can be removed: {@code CF.*}. */
  CUCKOO("MBbloomCF");

  private final String type;

  Family(String type) {
    this.type = type;
  }

  /** Returns what TYPE answers. */
  public String type() {
    return type;
  }

  /** Returns the family of a filter. */
  public static Family of(FilterStatus status) {
    return status.removable() ? CUCKOO : BLOOM;
  }

  /**
   * Refuses a filter of the other family.
   *
   * @throws WrongTypeException if it is one
   */
  public void require(FilterStatus status) {
    if (of(status) != this) {
      throw new WrongTypeException();
    }
  }
}
