package io.github.slotbloom.internal.store.slots;

import io.github.slotbloom.internal.bits.SlotMaskConsumer;
import org.jooq.Field;
import org.jooq.impl.DSL;
import org.jooq.impl.SQLDataType;
import org.jooq.types.ULong;

/**
 * Many slots in one text: a row of its own costs each of them more, in the server, in the driver
 * and on the way, than its digits do. Each slot is its distance from the first one, a space, its
 * bits and a semicolon; they come in any order.
 */
final class PackedSlots {

  private PackedSlots() {}

  /** What the server is to answer. */
  static Field<String> expression(Field<ULong> slot, Field<ULong> bits, long first) {
    // Where the server prepares the statement it takes the number for a decimal one otherwise, and
    // answers with thirty decimal places.
    return DSL.field(
        "GROUP_CONCAT({0} - CAST({1} AS UNSIGNED), ' ', {2}, ';' SEPARATOR '')",
        SQLDataType.CLOB, slot, DSL.val(ULong.valueOf(first)), bits);
  }

  /**
   * Hands out the slots, if the text holds them all.
   *
   * @param count how many there are
   * @return false if the server cut the text off; nothing is handed out then
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

  /** Wraps around where the sign would be: these are 64 bits. */
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
