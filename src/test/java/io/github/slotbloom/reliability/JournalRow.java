package io.github.slotbloom.reliability;

import java.nio.ByteBuffer;
import java.nio.LongBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

/** A row of the journal, as it is stored. */
record JournalRow(long seq, long token, long previousToken, String kind, byte[] payload) {

  private static final int MOST_BYTES = 65_536;

  boolean isWellFormed() {
    return switch (kind) {
      case "ADD", "REMOVE", "RETURN", "READD", "RENEW", "FILL", "SEEN" ->
          payload.length > 0 && payload.length <= MOST_BYTES && payload.length % Long.BYTES == 0;
      case "MERGE" -> payload.length > 0;
      case "MANIFEST" -> manifest().isPresent();
      default -> false;
    };
  }

  /** Whether its keys were reported as new. */
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

  /** Whether its keys go to the generation that is being filled, and to no other. */
  boolean fillsOnly() {
    return removes() || kind.equals("RETURN") || kind.equals("FILL");
  }

  /** The generations from here on; empty if it does not say, or not in the right form. */
  Optional<ManifestRow> manifest() {
    if (!kind.equals("MANIFEST")) {
      return Optional.empty();
    }
    try {
      return Optional.of(ManifestRow.of(new String(payload, StandardCharsets.US_ASCII)));
    } catch (RuntimeException e) {
      return Optional.empty();
    }
  }

  /** The hashes of a well-formed row of keys; none of another. */
  long[] hashes() {
    if (!isWellFormed() || kind.equals("MANIFEST") || kind.equals("MERGE")) {
      return new long[0];
    }
    LongBuffer stored = ByteBuffer.wrap(payload).asLongBuffer();
    long[] hashes = new long[stored.remaining()];
    stored.get(hashes);
    return hashes;
  }
}
