package io.github.slotbloom.internal.snapshot;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/** What reading and writing agree upon. The format is told in docs/export-format.md. */
final class SnapshotFormat {

  /**
   * Beyond ASCII at first, then a line ending of each kind: what was sent as text does not arrive.
   */
  static final byte[] MAGIC = {(byte) 0x89, 'S', 'L', 'B', '\r', '\n', 0x1A, '\n'};

  static final int VERSION = 1;

  /** Many times what a header takes. */
  static final int MOST_HEADER_BYTES = 64 * 1024;

  /** What reading and writing hold of a file. */
  static final int MOST_FRAME_BYTES = 256 * 1024;

  static final int HASHES_PER_FRAME = 8192;

  static final byte SLOTS = 1;
  static final byte HASHES = 2;
  static final byte END = 3;

  private SnapshotFormat() {}

  static MessageDigest digest() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("Every Java has SHA-256.", e);
    }
  }
}
