package io.github.slotbloom.internal.store.filter;

/** The generations that the keys of a journal entry are meant for. */
public enum Aim {
  /** The newest active one, and the one that is being filled beside it. */
  NEWEST,
  /** The one that is being filled, or was when the entry was written. */
  FILLING,
  /** Those that the entry names, or none. */
  NONE
}
