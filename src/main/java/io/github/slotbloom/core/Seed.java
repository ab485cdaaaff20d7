package io.github.slotbloom.core;

import io.github.slotbloom.error.UnsupportedFormatException;

/**
 * The seed of a filter's hash function. Where it is a secret only {@link #value} tells it: it is
 * left out of logs and messages that show what holds it.
 *
 * @param value the number
 * @param secret whether the hash function is {@link HashAlgorithm#isKeyed keyed}
 */
public record Seed(long value, boolean secret) {

  /**
   * The seed of a filter.
   *
   * @param hash id of its hash function; of one that is not known here it is taken for a secret
   * @param value the number
   * @return the seed
   */
  public static Seed of(String hash, long value) {
    return new Seed(value, isKeyed(hash));
  }

  private static boolean isKeyed(String hash) {
    try {
      return HashAlgorithm.byId(hash).isKeyed();
    } catch (UnsupportedFormatException e) {
      return true;
    }
  }

  /** {@return the number; of a secret, that it is one} */
  @Override
  public String toString() {
    return secret ? "secret" : Long.toString(value);
  }
}
