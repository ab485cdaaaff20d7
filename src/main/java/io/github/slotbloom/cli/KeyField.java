package io.github.slotbloom.cli;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Takes the key out of a line: a field counted from 1, where runs of spaces and tabs separate
 * fields and those at the start of a line count for nothing, as in awk. Without a number the whole
 * line is the key.
 */
record KeyField(@Nullable Integer number) {

  static final KeyField WHOLE_LINE = new KeyField(null);

  KeyField {
    if (number != null && number < 1) {
      throw new UsageException("--key-field counts from 1, and is " + number + ".");
    }
  }

  /** The key, or null if the line has too few fields. */
  byte @Nullable [] of(byte[] line) {
    if (number == null) {
      return line;
    }
    int end = 0;
    for (int field = 1; ; field++) {
      int start = end;
      while (start < line.length && isBlank(line[start])) {
        start++;
      }
      if (start == line.length) {
        return null;
      }
      end = start;
      while (end < line.length && !isBlank(line[end])) {
        end++;
      }
      if (field == number) {
        return Arrays.copyOfRange(line, start, end);
      }
    }
  }

  private static boolean isBlank(byte b) {
    return b == ' ' || b == '\t';
  }
}
