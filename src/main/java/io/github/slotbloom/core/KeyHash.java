package io.github.slotbloom.core;

import io.github.slotbloom.error.InvalidKeyException;

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

  /**
   * Hashes the UTF-8 bytes of a text. An implementation may read them from the text itself, without
   * creating an array.
   *
   * @param text any text
   * @return the same hash that {@link #hashBytes} returns for those bytes
   * @throws InvalidKeyException if the text has more than {@value KeyType#MAX_KEY_BYTES} bytes or
   *     is not valid Unicode
   */
  default long hashText(String text) {
    return hashBytes(KeyBytes.utf8(text));
  }
}
