package io.github.slotbloom.core;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/**
 * Implements {@link HashAlgorithm#SHA256}. Each call uses a digest of its own. This costs no more
 * than one digest per thread, and leaves nothing behind in the threads of the application.
 */
final class Sha256KeyHash implements KeyHash {

  private final byte[] seed;

  Sha256KeyHash(long seed) {
    this.seed = bigEndian(seed);
  }

  @Override
  public long hashBytes(byte[] key) {
    return ByteBuffer.wrap(digest(seed, key)).getLong();
  }

  @Override
  public long hashLong(long key) {
    return hashBytes(littleEndian(key));
  }

  /** Returns the SHA-256 of the parts, one after the other. */
  static byte[] digest(byte[]... parts) {
    MessageDigest digest = sha256();
    for (byte[] part : parts) {
      digest.update(part);
    }
    return digest.digest();
  }

  static byte[] bigEndian(long number) {
    return ByteBuffer.allocate(Long.BYTES).putLong(number).array();
  }

  static byte[] littleEndian(long number) {
    return ByteBuffer.allocate(Long.BYTES).order(ByteOrder.LITTLE_ENDIAN).putLong(number).array();
  }

  private static MessageDigest sha256() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("This Java runtime lacks SHA-256", e);
    }
  }
}
