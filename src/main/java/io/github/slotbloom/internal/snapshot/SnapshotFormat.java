package io.github.slotbloom.internal.snapshot;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/**
 * The constants that reading and writing share. The format is described in docs/export-format.md.
 */
final class SnapshotFormat {

  /**
   * The first bytes of a file. A byte beyond ASCII comes first, and a line ending of each kind
   * later, so a file that was sent as text is not accepted.
   */
  static final byte[] MAGIC = {(byte) 0x89, 'S', 'L', 'B', '\r', '\n', 0x1A, '\n'};

  static final int FIRST_VERSION = 1;

  /** Also holds which keys are removed. Only filters whose keys can be removed need it. */
  static final int VERSION_WITH_REMOVED = 2;

  /** Also holds the buckets of generations. Only windows need it. */
  static final int VERSION_WITH_BUCKETS = 3;

  /** Holds both. Only windows whose keys can be removed need it. */
  static final int VERSION_WITH_BUCKETS_AND_REMOVED = 4;

  static final int NEWEST_VERSION = VERSION_WITH_BUCKETS_AND_REMOVED;

  /** Many times the size of a header. */
  static final int MOST_HEADER_BYTES = 64 * 1024;

  /** The largest number of bytes of a file that reading and writing hold in memory. */
  static final int MOST_FRAME_BYTES = 256 * 1024;

  static final int HASHES_PER_FRAME = 8192;

  static final byte SLOTS = 1;
  static final byte HASHES = 2;
  static final byte END = 3;
  static final byte REMOVED = 4;

  private SnapshotFormat() {}

  /** Returns the version of the file of a filter. */
  static int versionOf(SnapshotHeader header) {
    boolean removable = header.removablePercent() > 0;
    if (header.window() != null) {
      return removable ? VERSION_WITH_BUCKETS_AND_REMOVED : VERSION_WITH_BUCKETS;
    }
    return removable ? VERSION_WITH_REMOVED : FIRST_VERSION;
  }

  /** Returns true if a file of that version says which keys are removed. */
  static boolean hasRemoved(int version) {
    return version == VERSION_WITH_REMOVED || version == VERSION_WITH_BUCKETS_AND_REMOVED;
  }

  /** Returns true if a file of that version has the buckets of a window. */
  static boolean hasBuckets(int version) {
    return version >= VERSION_WITH_BUCKETS;
  }

  static MessageDigest digest() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("Every Java has SHA-256.", e);
    }
  }
}
