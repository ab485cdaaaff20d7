package io.github.slotbloom.core;

import io.whitfin.siphash.SipHash;
import io.whitfin.siphash.SipHashContext;
import java.util.Arrays;

/** Implements {@link HashAlgorithm#SIPHASH_24}. */
final class SipHashKeyHash implements KeyHash {

  private static final int KEY_BYTES = 16;

  /** Holds the key in words that never change, so one context serves all threads. */
  private final SipHashContext context;

  SipHashKeyHash(long seed) {
    this(Arrays.copyOf(Sha256KeyHash.digest(Sha256KeyHash.bigEndian(seed)), KEY_BYTES));
  }

  /** Creates a hash with the whole 128-bit key, as the published test vectors use it. */
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
