package io.github.slotbloom.spark;

import io.github.slotbloom.core.KeyHash;
import io.github.slotbloom.core.KeyType;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.List;

/** The keys of one transaction, which are some neighbors of one partition. Not to be changed. */
final class Chunk {

  private final int partition;
  private final int number;
  private final List<Object> keys;
  private final byte[] digest;

  private Chunk(int partition, int number, List<Object> keys, byte[] digest) {
    this.partition = partition;
    this.number = number;
    this.keys = keys;
    this.digest = digest;
  }

  /**
   * Makes a chunk.
   *
   * @param partition number of the partition
   * @param partitions how many there are: with another number the keys are elsewhere
   * @param number of the chunk in its partition, from 0 on
   * @param last true if no chunk of the partition follows: without that, keys could move behind the
   *     end of a partition unnoticed
   */
  static Chunk of(
      int partition,
      int partitions,
      int number,
      boolean last,
      List<Object> keys,
      KeyType<Object> type) {
    MessageDigest digest = sha256();
    digest.update(
        ByteBuffer.allocate(2 * Integer.BYTES + 1)
            .putInt(partitions)
            .putInt(keys.size())
            .put((byte) (last ? 1 : 0))
            .flip());
    KeyHash bytes = new BytesOfKeys(digest);
    for (Object key : keys) {
      type.hash(key, bytes);
    }
    return new Chunk(partition, number, keys, digest.digest());
  }

  /** {@return the number of the partition} */
  int partition() {
    return partition;
  }

  /** {@return the number of the chunk in its partition, from 0 on} */
  int number() {
    return number;
  }

  /** {@return the keys in their order} */
  List<Object> keys() {
    return keys;
  }

  /** {@return what tells whether it is the same chunk in another attempt} */
  byte[] digest() {
    return digest;
  }

  private static MessageDigest sha256() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("Every Java has SHA-256.", e);
    }
  }

  /** Takes the bytes of each key, with their number before them. */
  private record BytesOfKeys(MessageDigest digest) implements KeyHash {

    @Override
    public long hashBytes(byte[] key) {
      digest.update(ByteBuffer.allocate(Integer.BYTES).putInt(key.length).flip());
      digest.update(key);
      return 0;
    }

    @Override
    public long hashLong(long key) {
      digest.update(ByteBuffer.allocate(Long.BYTES).putLong(key).flip());
      return 0;
    }

    @Override
    public long hashText(String text) {
      return hashBytes(text.getBytes(StandardCharsets.UTF_8));
    }
  }
}
