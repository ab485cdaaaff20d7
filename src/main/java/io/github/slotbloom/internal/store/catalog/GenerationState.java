package io.github.slotbloom.internal.store.catalog;

/** What a generation is to its filter. */
public enum GenerationState {
  /** It has a number, and perhaps a table; no key is in it. */
  CREATING,
  /** Keys may be in it. */
  ACTIVE,
  /** It takes what is added, and what is replayed, and is to replace the active ones. */
  FILLING,
  /** Another one has replaced it. */
  RETIRED,
  /** It was to replace others, and was given up. */
  ABORTED,
  /** It was retired or aborted, and its table is gone. */
  DROPPED
}
