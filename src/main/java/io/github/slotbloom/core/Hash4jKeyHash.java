package io.github.slotbloom.core;

import com.dynatrace.hash4j.hashing.Hasher64;

/**
 * A hash function of hash4j. Its hasher keeps no state between calls, so one serves all threads.
 */
class Hash4jKeyHash implements KeyHash {

  private final Hasher64 hasher;

  Hash4jKeyHash(Hasher64 hasher) {
    this.hasher = hasher;
  }

  @Override
  public final long hashBytes(byte[] key) {
    return hasher.hashBytesToLong(key);
  }

  @Override
  public final long hashLong(long key) {
    return hasher.hashLongToLong(key);
  }
}
