package io.github.slotbloom.store;

/** What may be done with a filter at the moment. */
public enum FilterState {
  /** Its slot table is being made; it cannot be opened yet. */
  RESERVING,
  /** It can be used. */
  ACTIVE,
  /** Its keys are being removed; anyone may finish that. */
  CLEARING,
  /** It is being removed; anyone may finish that. */
  DROPPING
}
