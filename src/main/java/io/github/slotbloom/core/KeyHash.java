package io.github.slotbloom.core;

/** A seeded 64-bit hash of a key's bytes. Implementations are thread-safe. */
public interface KeyHash {

  /** The hash of all bytes of the array. */
  long hashBytes(byte[] key);

  /** The hash of the eight bytes of the number, the least significant first, without an array. */
  long hashLong(long key);
}
