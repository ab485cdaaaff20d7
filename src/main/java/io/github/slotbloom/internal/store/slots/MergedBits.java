package io.github.slotbloom.internal.store.slots;

import io.github.slotbloom.core.BloomParameters;
import io.github.slotbloom.core.Layout;
import io.github.slotbloom.error.InvalidParameterException;
import io.github.slotbloom.internal.bits.Probe;
import io.github.slotbloom.internal.bits.SlotMaskConsumer;
import io.github.slotbloom.internal.bits.SlotRuns;
import io.github.slotbloom.internal.store.filter.GenerationRecord;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * Bits of another filter that a generation takes in.
 *
 * @param generation number of that generation
 * @param sinceToken token of that generation; if a generation was lost and begun again, the token
 *     differs
 * @param parameters size and layout of that generation
 * @param runs its bits as {@link SlotRuns}; not copied, so it must not be changed
 */
@SuppressWarnings("ArrayRecordComponent") // never compared; a copy of 64 KiB is not free
public record MergedBits(int generation, long sinceToken, BloomParameters parameters, byte[] runs) {

  /** The bytes for the number, token, bits and hashes of the generation. */
  private static final int HEADER = Integer.BYTES + Long.BYTES + Long.BYTES + Integer.BYTES;

  /** The most bytes of a {@link #payload}, and of that of any journal entry: 64 KiB. */
  public static final int MAX_PAYLOAD = 1 << 16;

  /** The most bytes of runs in one entry. */
  public static final int MAX_BYTES = MAX_PAYLOAD - HEADER;

  /** Creates bits for a generation of a filter. */
  public static MergedBits of(GenerationRecord generation, byte[] runs) {
    return new MergedBits(
        generation.number(), generation.sinceToken(), generation.parameters(), runs);
  }

  /** Creates the bits of hashes for a generation of a filter, in as many parts as they need. */
  public static List<MergedBits> ofHashes(GenerationRecord generation, long[] hashes) {
    SlotMasks masks = new SlotMasks();
    Probe.of(generation.parameters()).forEachMask(hashes, masks);
    List<MergedBits> bits = new ArrayList<>();
    SlotRuns runs = new SlotRuns(MAX_BYTES);
    for (long slot : masks.sortedSlots()) {
      if (!runs.offer(slot, masks.mask(slot))) {
        bits.add(of(generation, runs.take()));
        runs.offer(slot, masks.mask(slot));
      }
    }
    if (!runs.isEmpty()) {
      bits.add(of(generation, runs.take()));
    }
    return bits;
  }

  /**
   * Decodes a payload.
   *
   * @throws InvalidParameterException if the payload is malformed; the message says why
   */
  public static MergedBits decode(Layout layout, byte[] payload) {
    if (payload.length <= HEADER || payload.length > MAX_PAYLOAD) {
      throw new InvalidParameterException(
          "there are " + HEADER + " bytes of a generation, and then bits, 64 KiB together at most");
    }
    ByteBuffer bytes = ByteBuffer.wrap(payload);
    int generation = bytes.getInt();
    long token = bytes.getLong();
    BloomParameters parameters = new BloomParameters(layout, bytes.getLong(), bytes.getInt());
    byte[] runs = new byte[bytes.remaining()];
    bytes.get(runs);
    MergedBits merged = new MergedBits(generation, token, parameters, runs);
    merged.forEachMask((slot, mask) -> {});
    return merged;
  }

  public byte[] payload() {
    return ByteBuffer.allocate(HEADER + runs.length)
        .putInt(generation)
        .putLong(sinceToken)
        .putLong(parameters.bits())
        .putInt(parameters.hashes())
        .put(runs)
        .array();
  }

  /** Returns true if that is the generation that takes the bits. */
  public boolean isFor(GenerationRecord other) {
    return generation == other.number()
        && sinceToken == other.sinceToken()
        && parameters.equals(other.parameters());
  }

  public void forEachMask(SlotMaskConsumer sink) {
    SlotRuns.read(ByteBuffer.wrap(runs), -1, parameters, sink);
  }
}
