package io.github.slotbloom.core;

/** A seeded 64-bit hash of a key's bytes. Implementations are thread-safe. */
public interface KeyHash {

  /**
   * The hash of all bytes of an array.
   *
   * @param key neither kept nor changed
   * @return any of 2^64 numbers
   */
  long hashBytes(byte[] key);

  /**
   * The hash of the eight bytes of a number, the least significant first, without an array.
   *
   * @param key any number
   * @return what {@link #hashBytes} gives for those bytes
   */
  long hashLong(long key);
}
