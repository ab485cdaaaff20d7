package io.github.slotbloom.internal.snapshot;

import io.github.slotbloom.internal.store.journal.JournalEntry.Kind;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.List;

/**
 * The constants that reading and writing share. The format is described in docs/export-format.md.
 */
final class SnapshotFormat {

  /**
   * The first bytes of a file. A byte beyond ASCII comes first, and a line ending of each kind
   * later, so a file that was sent as text is not accepted.
   */
  static final byte[] MAGIC = {(byte) 0x89, 'S', 'L', 'B', '\r', '\n', 0x1A, '\n'};

  /** The only version. Those below it were of the development versions before 0.1.0. */
  static final int VERSION = 6;

  /** Many times the size of a header. */
  static final int MOST_HEADER_BYTES = 64 * 1024;

  /** The largest number of bytes of a file that reading and writing hold in memory. */
  static final int MOST_FRAME_BYTES = 256 * 1024;

  static final int HASHES_PER_FRAME = 8192;

  static final byte SLOTS = 1;
  static final byte HASHES = 2;
  static final byte END = 3;
  static final byte REMOVED = 4;

  /** The first of the kinds of entries, each of which is a kind of frame. */
  static final byte ENTRY = 5;

  /** The kinds of entries that a delta carries, in the order of their frames. */
  static final List<Kind> KINDS =
      List.of(Kind.ADD, Kind.REMOVE, Kind.RETURN, Kind.READD, Kind.SEEN);

  private SnapshotFormat() {}

  static MessageDigest digest() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("Every Java has SHA-256.", e);
    }
  }
}
