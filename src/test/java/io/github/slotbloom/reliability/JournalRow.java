package io.github.slotbloom.reliability;

import java.nio.ByteBuffer;
import java.nio.LongBuffer;

/** A row of the journal, as it is stored. */
record JournalRow(long seq, long token, long previousToken, String kind, byte[] payload) {

  private static final int MOST_BYTES = 65_536;

  private static final int GENERATION_BYTES = 32;

  /** A generation, its bucket, and the length of the window. */
  private static final int ROTATION_BYTES = GENERATION_BYTES + Long.BYTES + Long.BYTES;

  boolean isWellFormed() {
    return switch (kind) {
      case "ADD", "REMOVE", "RETURN", "READD", "RENEW", "FILL", "SEEN" ->
          payload.length > 0 && payload.length <= MOST_BYTES && payload.length % Long.BYTES == 0;
      case "GROW", "REPLACE" -> payload.length == GENERATION_BYTES;
      case "ROTATE" -> payload.length == ROTATION_BYTES;
      case "MERGE" -> payload.length > 0;
      case "CUTOVER", "ABORT" -> payload.length == 0;
      default -> false;
    };
  }

  /** Whether its keys were answered new. */
  boolean adds() {
    return countsAlways() || kind.equals("RETURN");
  }

  /** Whether its keys are counted, even if the filter does not know which removed keys were. */
  boolean countsAlways() {
    return kind.equals("ADD") || kind.equals("READD");
  }

  /** Whether its keys set bits in the newest generation that answers. */
  boolean setsBits() {
    return countsAlways() || renews();
  }

  /** Whether its keys live longer from then on. */
  boolean renews() {
    return kind.equals("RENEW");
  }

  boolean removes() {
    return kind.equals("REMOVE");
  }

  /** Whether its keys go to the generation that is being filled. */
  boolean fills() {
    return adds() || removes() || kind.equals("FILL");
  }

  boolean beginsGeneration() {
    return kind.equals("GROW") || kind.equals("REPLACE");
  }

  /** Whether a bucket begins, in a new generation or in the newest. */
  boolean rotates() {
    return kind.equals("ROTATE");
  }

  /** The number of the generation that begins or goes on. */
  int generation() {
    return ByteBuffer.wrap(payload).getInt();
  }

  /** The bucket that begins. */
  long bucket() {
    return ByteBuffer.wrap(payload).getLong(GENERATION_BYTES);
  }

  /** The hashes of a well-formed row of keys; none of another. */
  long[] hashes() {
    if (!isWellFormed() || beginsGeneration() || rotates() || kind.equals("MERGE")) {
      return new long[0];
    }
    LongBuffer stored = ByteBuffer.wrap(payload).asLongBuffer();
    long[] hashes = new long[stored.remaining()];
    stored.get(hashes);
    return hashes;
  }
}
