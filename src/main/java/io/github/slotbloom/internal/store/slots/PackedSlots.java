package io.github.slotbloom.internal.store.slots;

import io.github.slotbloom.internal.bits.SlotMaskConsumer;
import org.jooq.Field;
import org.jooq.impl.DSL;
import org.jooq.impl.SQLDataType;

/**
 * Packs many slots into one text. A row per slot would cost the driver more than it would save the
 * server. Each slot is its distance from the first slot, a space, its bits and a semicolon. The
 * order is arbitrary.
 */
final class PackedSlots {

  private PackedSlots() {}

  /** Returns the expression that makes the server pack the slots. */
  static Field<String> expression(Field<Long> slot, Field<Long> bits, long first) {
    // Without the cast, a server that prepares the statement treats the number as a decimal, and
    // answers with thirty decimal places.
    return DSL.field(
        "GROUP_CONCAT({0} - CAST({1} AS UNSIGNED), ' ', {2}, ';' SEPARATOR '')",
        SQLDataType.CLOB, slot, DSL.val(first), bits);
  }

  /**
   * Passes the slots to the sink, if the text holds all of them.
   *
   * @param count the number of slots
   * @return false if the server cut the text off; then no slot is passed on
   */
  static boolean unpack(String text, int count, long first, SlotMaskConsumer sink) {
    int[] distances = new int[count];
    long[] masks = new long[count];
    int n = 0;
    int i = 0;
    while (n < count && i < text.length()) {
      int space = text.indexOf(' ', i);
      int end = text.indexOf(';', i);
      if (space < 0 || end < 0) {
        return false;
      }
      distances[n] = (int) digits(text, i, space);
      masks[n++] = digits(text, space + 1, end);
      i = end + 1;
    }
    if (n < count) {
      return false;
    }
    for (int slot = 0; slot < count; slot++) {
      sink.accept(first + distances[slot], masks[slot]);
    }
    return true;
  }

  /** Parses an unsigned number of 64 bits, so the result may be negative. */
  private static long digits(String text, int from, int to) {
    long value = 0;
    for (int i = from; i < to; i++) {
      int digit = text.charAt(i) - '0';
      if (digit < 0 || digit > 9) {
        throw new IllegalStateException("No number: " + text.substring(from, to));
      }
      value = value * 10 + digit;
    }
    return value;
  }
}
