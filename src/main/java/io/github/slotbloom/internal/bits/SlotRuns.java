package io.github.slotbloom.internal.bits;

import io.github.slotbloom.core.BloomParameters;
import io.github.slotbloom.error.InvalidParameterException;
import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * Encodes slots in ascending order as bytes. The bytes are runs of neighboring slots. Each run has
 * the number of its first slot (8 bytes), the number of slots (4 bytes), and their bits (8 bytes
 * each), all big-endian. Not thread-safe.
 */
public final class SlotRuns {

  private static final int RUN_HEADER = Long.BYTES + Integer.BYTES;

  private final ByteBuffer bytes;
  private int countAt;
  private long next;

  /**
   * Creates an encoder without slots.
   *
   * @param mostBytes the largest number of bytes for all slots together; room for one slot at least
   */
  public SlotRuns(int mostBytes) {
    bytes = ByteBuffer.allocate(mostBytes);
  }

  /**
   * Appends a slot.
   *
   * @param slot greater than the one before
   * @param bits its bits; may be 0
   * @return false, with nothing changed, if there is no room for it
   */
  public boolean offer(long slot, long bits) {
    boolean continues = !isEmpty() && slot == next;
    if (bytes.remaining() < Long.BYTES + (continues ? 0 : RUN_HEADER)) {
      return false;
    }
    if (!continues) {
      bytes.putLong(slot);
      countAt = bytes.position();
      bytes.putInt(0);
    }
    bytes.putInt(countAt, bytes.getInt(countAt) + 1);
    bytes.putLong(bits);
    next = slot + 1;
    return true;
  }

  /** {@return true if no slot was appended since the beginning, or since the bytes were taken} */
  public boolean isEmpty() {
    return bytes.position() == 0;
  }

  /** {@return the bytes of the appended slots, and starts again without slots} */
  public byte[] take() {
    byte[] taken = Arrays.copyOf(bytes.array(), bytes.position());
    bytes.clear();
    return taken;
  }

  /**
   * Reads runs.
   *
   * @param runs read from its position to its limit
   * @param after the slot that they must follow; -1 if they may begin anywhere
   * @param sink receives each slot, also slots without a bit
   * @return the last slot
   * @throws InvalidParameterException if the bytes are not valid runs, or go beyond the generation
   */
  public static long read(
      ByteBuffer runs, long after, BloomParameters parameters, SlotMaskConsumer sink) {
    long last = after;
    do {
      if (runs.remaining() < RUN_HEADER) {
        throw new InvalidParameterException("a run of slots is truncated");
      }
      long first = runs.getLong();
      int count = runs.getInt();
      if (first <= last || first >= parameters.slots()) {
        throw new InvalidParameterException(
            "a run begins at slot "
                + first
                + ", after slot "
                + last
                + ", of "
                + parameters.slots()
                + " slots");
      }
      if (count < 1 || count > parameters.slots() - first) {
        throw new InvalidParameterException(
            "a run has " + count + " slots from " + first + " on, of " + parameters.slots());
      }
      if (count > runs.remaining() / Long.BYTES) {
        throw new InvalidParameterException("a run of slots is truncated");
      }
      for (long slot = first; slot < first + count; slot++) {
        sink.accept(slot, within(parameters, slot, runs.getLong()));
      }
      last = first + count - 1;
    } while (runs.hasRemaining());
    return last;
  }

  private static long within(BloomParameters parameters, long slot, long bits) {
    if (slot == parameters.slots() - 1 && (bits & ~parameters.lastSlotMask()) != 0) {
      throw new InvalidParameterException(
          "slot " + slot + " has bits beyond the " + parameters.bits() + " of its generation");
    }
    return bits;
  }
}
