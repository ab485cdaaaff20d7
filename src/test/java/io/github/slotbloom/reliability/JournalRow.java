package io.github.slotbloom.reliability;

import java.nio.ByteBuffer;
import java.nio.LongBuffer;

/** A row of the journal, as it is stored. */
record JournalRow(long seq, long token, long previousToken, String kind, byte[] payload) {

  private static final int MOST_BYTES = 65_536;

  private static final int GENERATION_BYTES = 32;

  boolean isWellFormed() {
    return switch (kind) {
      case "ADD", "REMOVE", "RETURN", "READD", "FILL", "SEEN" ->
          payload.length > 0 && payload.length <= MOST_BYTES && payload.length % Long.BYTES == 0;
      case "GROW", "REPLACE" -> payload.length == GENERATION_BYTES;
      case "CUTOVER", "ABORT" -> payload.length == 0;
      default -> false;
    };
  }

  /** Whether its keys were answered new. */
  boolean adds() {
    return setsBits() || kind.equals("RETURN");
  }

  /** Whether its keys are counted, even if the filter does not know which removed keys were. */
  boolean countsAlways() {
    return setsBits();
  }

  /** Whether its keys set bits in the newest generation that answers. */
  boolean setsBits() {
    return kind.equals("ADD") || kind.equals("READD");
  }

  boolean removes() {
    return kind.equals("REMOVE");
  }

  /** Whether its keys go to the generation that is being filled. */
  boolean fills() {
    return adds() || kind.equals("FILL");
  }

  boolean beginsGeneration() {
    return kind.equals("GROW") || kind.equals("REPLACE");
  }

  /** The hashes of a well-formed row of keys; none of another. */
  long[] hashes() {
    if (!isWellFormed() || beginsGeneration()) {
      return new long[0];
    }
    LongBuffer stored = ByteBuffer.wrap(payload).asLongBuffer();
    long[] hashes = new long[stored.remaining()];
    stored.get(hashes);
    return hashes;
  }
}
