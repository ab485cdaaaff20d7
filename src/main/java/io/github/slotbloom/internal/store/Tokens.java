package io.github.slotbloom.internal.store;

import java.security.SecureRandom;

/** Random numbers that tell one history from another. Thread-safe. */
public final class Tokens {

  private static final SecureRandom RANDOM = new SecureRandom();

  private Tokens() {}

  /** Never zero, which says in the catalog that there was nothing yet. */
  public static long next() {
    long token = RANDOM.nextLong();
    return token == 0 ? 1 : token;
  }
}
