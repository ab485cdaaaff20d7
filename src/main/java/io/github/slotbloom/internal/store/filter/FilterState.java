package io.github.slotbloom.internal.store.filter;

/** The state of a filter. */
public enum FilterState {
  /** The slot table is being created. The filter cannot be opened yet. */
  RESERVING,
  /** The content is being written. The filter cannot be opened yet. */
  IMPORTING,
  /** The filter can be used. */
  ACTIVE,
  /**
   * The time of the filter is over, so no client can use it. This state is never stored: it is read
   * where {@link #ACTIVE} is stored and the time has come.
   */
  EXPIRED,
  /** The filter is being removed. Any process may finish that. */
  DROPPING
}
