package io.github.slotbloom.core;

/** A seeded 64-bit hash of a key's bytes. Implementations are thread-safe. */
public interface KeyHash {

  /**
   * Hashes all bytes of an array.
   *
   * @param key the bytes; the array is neither kept nor changed
   * @return the hash, any 64-bit number
   */
  long hashBytes(byte[] key);

  /**
   * Hashes the eight bytes of a number, least significant byte first, without creating an array.
   *
   * @param key any number
   * @return the same hash that {@link #hashBytes} returns for those bytes
   */
  long hashLong(long key);
}
