package io.github.slotbloom.core;

/**
 * Encodes keys of the caller's own type as bytes. Equal keys must give equal bytes, in every
 * process and every version of the application, for as long as the filter lives; different keys
 * should give different bytes. Implementations must be thread-safe.
 *
 * @param <K> the type of the key
 */
@FunctionalInterface
public interface KeyEncoder<K> {

  /**
   * Encodes a key.
   *
   * @param key not null
   * @return at most {@link KeyType#MAX_KEY_BYTES} bytes, not null; the array is not kept
   */
  byte[] encode(K key);
}
