package io.github.slotbloom.cli.line;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.github.slotbloom.cli.UsageException;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Takes the key out of a line: a field, counted from 1. Without a delimiter, runs of spaces and
 * tabs separate fields, and those at the start of a line are ignored, as in awk. With a delimiter,
 * each occurrence separates fields. Without a number, the whole line is the key.
 */
public final class KeyField {

  public static final KeyField WHOLE_LINE = new KeyField(null, null);

  private final @Nullable Integer number;
  private final byte @Nullable [] delimiter;

  /**
   * @param delimiter {@code \t}, {@code \0} and {@code \\} stand for a tab, a NUL and a backslash
   */
  public KeyField(@Nullable Integer number, @Nullable String delimiter) {
    if (number != null && number < 1) {
      throw new UsageException("--key-field counts from 1, so it cannot be " + number + ".");
    }
    if (delimiter != null && number == null) {
      throw new UsageException(
          "--delimiter separates fields: add --key-field N to choose the one that is the key.");
    }
    if (delimiter != null && delimiter.isEmpty()) {
      throw new UsageException("--delimiter is empty; use one or more characters, \\t for a tab.");
    }
    this.number = number;
    this.delimiter = delimiter == null ? null : unescaped(delimiter).getBytes(UTF_8);
  }

  private static String unescaped(String delimiter) {
    return switch (delimiter) {
      case "\\t" -> "\t";
      case "\\0" -> "\0";
      case "\\\\" -> "\\";
      default -> delimiter;
    };
  }

  /** Returns the key, or null if the line has too few fields or the delimited field is empty. */
  byte @Nullable [] of(byte[] line) {
    if (number == null) {
      return line;
    }
    byte[] field =
        delimiter == null ? blankSeparated(line, number) : delimited(line, number, delimiter);
    return field == null || field.length == 0 ? null : field;
  }

  private static byte @Nullable [] blankSeparated(byte[] line, int number) {
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

  private static byte @Nullable [] delimited(byte[] line, int number, byte[] delimiter) {
    int start = 0;
    for (int field = 1; ; field++) {
      int end = indexOf(line, delimiter, start);
      if (field == number) {
        return Arrays.copyOfRange(line, start, end);
      }
      if (end == line.length) {
        return null;
      }
      start = end + delimiter.length;
    }
  }

  /** Returns the index of the next delimiter, or the end of the line. */
  private static int indexOf(byte[] line, byte[] delimiter, int from) {
    for (int i = from; i + delimiter.length <= line.length; i++) {
      if (Arrays.equals(line, i, i + delimiter.length, delimiter, 0, delimiter.length)) {
        return i;
      }
    }
    return line.length;
  }
}
