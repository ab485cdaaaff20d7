package io.github.slotbloom.core;

import com.dynatrace.hash4j.hashing.Hasher64;
import com.dynatrace.hash4j.hashing.Hashing;
import io.github.slotbloom.error.UnsupportedFormatException;

/** The hash functions that a filter can be made with; the id is part of the stored format. */
public enum HashAlgorithm {
  /**
   * XXH3 with 64 bits, by Yann Collet. Fast, and not made to withstand whoever chooses keys that
   * collide.
   */
  XXH3_64("xxh3_64") {
    @Override
    public KeyHash create(long seed) {
      return new Hash4jKeyHash(Hashing.xxh3_64(seed));
    }
  };

  private final String id;

  HashAlgorithm(String id) {
    this.id = id;
  }

  /** {@return the name under which the catalog keeps the algorithm} */
  public String id() {
    return id;
  }

  /**
   * The hash function for a seed.
   *
   * @param seed any number
   * @return thread-safe, without state
   */
  public abstract KeyHash create(long seed);

  /**
   * The algorithm of an {@link #id()}.
   *
   * @param id as the catalog keeps it
   * @return the algorithm
   * @throws UnsupportedFormatException if this version of the library has no such algorithm
   */
  public static HashAlgorithm byId(String id) {
    for (HashAlgorithm algorithm : values()) {
      if (algorithm.id.equals(id)) {
        return algorithm;
      }
    }
    throw new UnsupportedFormatException(
        "Hash algorithm '"
            + id
            + "' is not known to this version of the library; open the filter with the version"
            + " that made it, or a later one");
  }

  /** A hasher of hash4j keeps no state between calls, so one serves all threads. */
  private record Hash4jKeyHash(Hasher64 hasher) implements KeyHash {
    @Override
    public long hashBytes(byte[] key) {
      return hasher.hashBytesToLong(key);
    }

    @Override
    public long hashLong(long key) {
      return hasher.hashLongToLong(key);
    }
  }
}
