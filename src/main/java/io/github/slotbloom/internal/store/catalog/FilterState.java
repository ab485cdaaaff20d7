package io.github.slotbloom.internal.store.catalog;

/** What may be done with a filter at the moment. */
public enum FilterState {
  /** Its slot table is being made; it cannot be opened yet. */
  RESERVING,
  /** What it is made out of is being written; it cannot be opened yet. */
  IMPORTING,
  /** It can be used. */
  ACTIVE,
  /** Its keys are being removed; anyone may finish that. */
  CLEARING,
  /** It is being removed; anyone may finish that. */
  DROPPING
}
