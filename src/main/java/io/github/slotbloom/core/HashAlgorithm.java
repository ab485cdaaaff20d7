package io.github.slotbloom.core;

import com.dynatrace.hash4j.hashing.Hasher64;
import com.dynatrace.hash4j.hashing.Hashing;
import io.github.slotbloom.error.InvalidParameterException;
import io.github.slotbloom.error.UnsupportedFormatException;

/**
 * The hash functions that a filter can be made with; the id is part of the stored format, and so is
 * what each makes of seed and bytes.
 *
 * <p>Whoever can choose keys and knows the seed can find keys that collide, or that fill the same
 * bits. {@link #SIPHASH_24} and {@link #SHA256} withstand that while their seed is secret ({@link
 * #isKeyed}); the other two do not, with any seed.
 */
public enum HashAlgorithm {
  /** XXH3 with 64 bits, by Yann Collet, with its 64-bit seed. The fastest here. */
  XXH3_64("xxh3_64", false) {
    @Override
    public KeyHash create(long seed) {
      return new Hash4jKeyHash(Hashing.xxh3_64(seed));
    }
  },
  /**
   * MurmurHash3 x64 128 by Austin Appleby: the first 64 bits of it, which its implementations call
   * h1. For those who must match other systems. Its seed has 32 bits, 0 to 4294967295, taken
   * without a sign as by the reference implementation, and by mmh3 for Python. Guava takes the same
   * seeds up to 2147483647, and makes something else of negative ones.
   */
  MURMUR3_128("murmur3_128", false) {
    @Override
    public KeyHash create(long seed) {
      requireSeed(seed);
      return new Hash4jKeyHash(Hashing.murmur3_128((int) seed));
    }

    @Override
    public void requireSeed(long seed) {
      if (seed < 0 || seed > LARGEST_MURMUR3_SEED) {
        throw new InvalidParameterException(
            "The seed of murmur3_128 has 32 bits: give 0 to "
                + LARGEST_MURMUR3_SEED
                + ", not "
                + seed
                + ".");
      }
    }
  },
  /**
   * SipHash-2-4 with 64 bits (Aumasson, Bernstein: SipHash: a fast short-input PRF, 2012), for keys
   * that others choose. Its 128-bit key is the first 16 bytes of the SHA-256 of the eight bytes of
   * the seed, the most significant first. That does not make more of 64 random bits than they are:
   * whoever sees hashes finds the seed after 2^63 trials on average.
   */
  SIPHASH_24("siphash24", true) {
    @Override
    public KeyHash create(long seed) {
      return new SipHashKeyHash(seed);
    }
  },
  /**
   * The first 64 bits, the most significant byte first, of SHA-256 over the eight bytes of the
   * seed, the most significant first, and the bytes of the key. A database can compute it, so SQL
   * can ask a filter; for keys that others choose as well. The slowest here.
   */
  SHA256("sha256", true) {
    @Override
    public KeyHash create(long seed) {
      return new Sha256KeyHash(seed);
    }
  };

  private static final long LARGEST_MURMUR3_SEED = 0xFFFFFFFFL;

  private final String id;
  private final boolean keyed;

  HashAlgorithm(String id, boolean keyed) {
    this.id = id;
    this.keyed = keyed;
  }

  /** {@return the name under which the catalog keeps the algorithm} */
  public String id() {
    return id;
  }

  /**
   * {@return whether the seed is a key, which nobody may know who could choose keys to do harm} It
   * is drawn at random unless it is given, and never shown by itself.
   */
  public boolean isKeyed() {
    return keyed;
  }

  /**
   * The hash function for a seed.
   *
   * @param seed any number; see {@link #requireSeed}
   * @return thread-safe, without state
   * @throws InvalidParameterException if it is no seed of this algorithm
   */
  public abstract KeyHash create(long seed);

  /**
   * Refuses a seed that the algorithm has no room for. Only {@link #MURMUR3_128} refuses any.
   *
   * @param seed any number
   * @throws InvalidParameterException if it is no seed of this algorithm
   */
  public void requireSeed(long seed) {}

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
