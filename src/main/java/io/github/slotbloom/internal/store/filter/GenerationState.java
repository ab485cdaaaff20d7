package io.github.slotbloom.internal.store.filter;

/** The state of a generation. */
public enum GenerationState {
  /** The generation has a number, and perhaps a table. It has no keys. */
  CREATING,
  /** The generation has an empty table, and waits for its turn. */
  READY,
  /** The generation may have keys, and answers. */
  ACTIVE,
  /** The generation takes added and replayed keys, and is to replace the active ones. */
  FILLING,
  /** Another generation has replaced this one. */
  RETIRED,
  /** The generation was to replace others, and was given up. */
  ABORTED,
  /** The generation was retired or aborted, and its table is gone. */
  DROPPED
}
