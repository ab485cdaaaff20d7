package io.github.slotbloom.core;

import com.dynatrace.hash4j.hashing.Hashing;
import io.github.slotbloom.error.InvalidParameterException;
import io.github.slotbloom.error.UnsupportedVersionException;

/**
 * The hash functions for the keys of a filter. The id of each, and its result for a seed and bytes,
 * are part of the stored format.
 *
 * <p>An attacker who can choose keys and knows the seed can find keys that collide or that set the
 * same bits. {@link #SIPHASH_24} and {@link #SHA256} prevent this while their seed is secret
 * ({@link #isKeyed}). The other two do not prevent it, with any seed.
 */
public enum HashAlgorithm {
  /** XXH3 with 64 bits, by Yann Collet, with its 64-bit seed. The fastest of these functions. */
  XXH3_64("xxh3_64", false) {
    @Override
    public KeyHash create(long seed) {
      return new Xxh3KeyHash(seed);
    }
  },
  /**
   * MurmurHash3 x64 128 by Austin Appleby: its first 64 bits, called h1 in its implementations. Use
   * it to match other systems. Its seed has 32 bits without a sign, 0 to 4294967295, as in the
   * reference implementation and in mmh3 for Python. Guava gives the same results for seeds up to
   * 2147483647, and other results for negative seeds.
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
            "The seed of murmur3_128 has 32 bits: use 0 to %s, not %s."
                .formatted(LARGEST_MURMUR3_SEED, seed));
      }
    }
  },
  /**
   * SipHash-2-4 with 64 bits (Aumasson, Bernstein: SipHash: a fast short-input PRF, 2012), for keys
   * that others choose. Its 128-bit key is the first 16 bytes of the SHA-256 of the eight bytes of
   * the seed, most significant byte first. The key is no stronger than the 64 random bits of the
   * seed: an attacker who sees hashes finds the seed after 2^63 trials on average.
   */
  SIPHASH_24("siphash24", true) {
    @Override
    public KeyHash create(long seed) {
      return new SipHashKeyHash(seed);
    }
  },
  /**
   * SHA-256 over the eight bytes of the seed, most significant byte first, followed by the bytes of
   * the key. The hash is the first 64 bits of the result, most significant byte first. A database
   * can compute it, so SQL can ask the filter. Also suitable for keys that others choose. The
   * slowest of these functions.
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

  /** {@return the id of the algorithm in the catalog} */
  public String id() {
    return id;
  }

  /**
   * {@return true if the seed is a secret key, which must be hidden from anyone who might choose
   * harmful keys} Unless it is given, it is drawn at random. It is never shown unasked.
   */
  public boolean isKeyed() {
    return keyed;
  }

  /**
   * Creates the hash function for a seed.
   *
   * @param seed any number; see {@link #requireSeed}
   * @return a hash function that is thread-safe and has no state
   * @throws InvalidParameterException if the algorithm does not accept the seed
   */
  public abstract KeyHash create(long seed);

  /**
   * Checks that the algorithm accepts a seed. Only {@link #MURMUR3_128} refuses some seeds.
   *
   * @param seed any number
   * @throws InvalidParameterException if the algorithm does not accept the seed
   */
  public void requireSeed(long seed) {}

  /**
   * Returns the algorithm with an {@link #id()}.
   *
   * @param id the id in the catalog
   * @return the algorithm
   * @throws UnsupportedVersionException if this version of the library has no such algorithm
   */
  public static HashAlgorithm byId(String id) {
    for (HashAlgorithm algorithm : values()) {
      if (algorithm.id.equals(id)) {
        return algorithm;
      }
    }
    throw new UnsupportedVersionException(
        ("Hash algorithm '%s' is unknown to this version of Slotbloom; open the filter with the"
                + " version that created it, or a later one")
            .formatted(id));
  }
}
