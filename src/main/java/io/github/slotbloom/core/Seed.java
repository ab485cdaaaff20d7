package io.github.slotbloom.core;

import io.github.slotbloom.error.UnsupportedVersionException;

/**
 * The seed of a filter's hash function. Only {@link #value} returns a secret seed. It is omitted
 * from logs and messages that show the object which holds it.
 *
 * @param value the number
 * @param secret true if the hash function is {@link HashAlgorithm#isKeyed keyed}
 */
public record Seed(long value, boolean secret) {

  /**
   * Creates the seed of a filter.
   *
   * @param hash id of the hash function; the seed of an unknown hash function is treated as a
   *     secret
   * @param value the number
   * @return the seed
   */
  public static Seed of(String hash, long value) {
    return new Seed(value, isKeyed(hash));
  }

  private static boolean isKeyed(String hash) {
    try {
      return HashAlgorithm.byId(hash).isKeyed();
    } catch (UnsupportedVersionException e) {
      return true;
    }
  }

  /** {@return the number, or a text that says that the seed is secret} */
  @Override
  public String toString() {
    return secret ? "secret" : Long.toString(value);
  }
}
