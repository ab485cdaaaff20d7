package io.github.slotbloom.core;

import io.whitfin.siphash.SipHash;
import io.whitfin.siphash.SipHashContext;
import java.util.Arrays;

/** {@link HashAlgorithm#SIPHASH_24}. */
final class SipHashKeyHash implements KeyHash {

  private static final int KEY_BYTES = 16;

  /** Holds the key as words that are never changed, so one serves all threads. */
  private final SipHashContext context;

  SipHashKeyHash(long seed) {
    this(Arrays.copyOf(Sha256KeyHash.digest(Sha256KeyHash.bigEndian(seed)), KEY_BYTES));
  }

  /** With the whole key, as the vectors have it that are published. */
  SipHashKeyHash(byte[] key) {
    context = SipHash.context(key);
  }

  @Override
  public long hashBytes(byte[] key) {
    return context.hash(key);
  }

  @Override
  public long hashLong(long key) {
    return context.hash(Sha256KeyHash.littleEndian(key));
  }
}
