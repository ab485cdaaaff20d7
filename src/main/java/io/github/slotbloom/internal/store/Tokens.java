package io.github.slotbloom.internal.store;

import java.security.SecureRandom;

/** Creates random numbers that tell one history from another. Thread-safe. */
public final class Tokens {

  private static final SecureRandom RANDOM = new SecureRandom();

  private Tokens() {}

  /**
   * Returns a random token. It is never zero: in the catalog, zero means that there is no token
   * yet.
   */
  public static long next() {
    long token = RANDOM.nextLong();
    return token == 0 ? 1 : token;
  }
}
