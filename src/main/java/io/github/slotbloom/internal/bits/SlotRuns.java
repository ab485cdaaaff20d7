package io.github.slotbloom.internal.bits;

import io.github.slotbloom.core.BloomParameters;
import io.github.slotbloom.error.InvalidParameterException;
import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * Slots in ascending order as bytes: runs of neighbours, each the number of its first slot (8
 * bytes), how many there are (4 bytes), and their bits (8 bytes each), all big-endian. Not
 * thread-safe.
 */
public final class SlotRuns {

  private static final int RUN_HEADER = Long.BYTES + Integer.BYTES;

  private final ByteBuffer bytes;
  private int countAt;
  private long next;

  /**
   * Begins with none.
   *
   * @param mostBytes that they may take together; room for one slot at least
   */
  public SlotRuns(int mostBytes) {
    bytes = ByteBuffer.allocate(mostBytes);
  }

  /**
   * Appends a slot.
   *
   * @param slot greater than the one before
   * @param bits its bits, which may be none
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

  /** {@return whether no slot was appended since the beginning, or since they were taken} */
  public boolean isEmpty() {
    return bytes.position() == 0;
  }

  /** {@return what was appended, and begins anew with none} */
  public byte[] take() {
    byte[] taken = Arrays.copyOf(bytes.array(), bytes.position());
    bytes.clear();
    return taken;
  }

  /**
   * Reads them.
   *
   * @param runs from its position to its limit
   * @param after the slot that they must follow; -1 if they may begin anywhere
   * @param parameters the shape of the generation that the slots belong to
   * @param sink gets each slot, also those without a bit
   * @return the last slot
   * @throws InvalidParameterException if the bytes are no such runs, or go beyond the generation
   */
  public static long read(
      ByteBuffer runs, long after, BloomParameters parameters, SlotMaskConsumer sink) {
    long last = after;
    do {
      if (runs.remaining() < RUN_HEADER) {
        throw new InvalidParameterException("a run of slots is cut off");
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
        throw new InvalidParameterException("a run of slots is cut off");
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
