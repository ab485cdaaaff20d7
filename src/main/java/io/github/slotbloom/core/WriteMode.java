package io.github.slotbloom.core;

/**
 * When the bits of a new key reach the slot table. Either way the key is durable before its add
 * returns.
 */
public enum WriteMode {
  /** The add appends to the journal; a folder in the background writes the slots. */
  DEFERRED,
  /**
   * The add writes the slots in its own transaction, unless a backlog of others' entries is in the
   * way.
   */
  WRITE_THROUGH
}
