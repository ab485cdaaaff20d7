package io.github.slotbloom.internal.sql;

import java.util.Locale;

/**
 * Formats a value for error messages: in quotes, shortened if it is long. Characters that are
 * invisible, or that change the look of others, are written as escapes.
 */
public final class Quoted {

  private static final int MOST_SHOWN = 60;

  private Quoted() {}

  public static String of(String value) {
    StringBuilder quoted = new StringBuilder("\"");
    value.codePoints().limit(MOST_SHOWN).forEach(c -> append(quoted, c));
    boolean shortened = value.codePointCount(0, value.length()) > MOST_SHOWN;
    return quoted.append(shortened ? "...\" (" + value.length() + " characters)" : "\"").toString();
  }

  private static void append(StringBuilder quoted, int c) {
    if (visible(c)) {
      quoted.appendCodePoint(c);
    } else {
      for (char part : Character.toChars(c)) {
        quoted.append(String.format(Locale.ROOT, "\\u%04X", (int) part));
      }
    }
  }

  public static boolean visible(int c) {
    return switch (Character.getType(c)) {
      case Character.CONTROL,
          Character.FORMAT,
          Character.LINE_SEPARATOR,
          Character.PARAGRAPH_SEPARATOR,
          Character.PRIVATE_USE,
          Character.SURROGATE,
          Character.UNASSIGNED ->
          false;
      default -> true;
    };
  }
}
