package io.github.slotbloom.internal.sql;

import java.util.Locale;
import java.util.regex.Pattern;

/**
 * Formats a value for error messages: in quotes, shortened if it is long. Characters that are
 * invisible, or that change the look of others, are written as escapes.
 */
public final class Quoted {

  private static final int MOST_SHOWN = 60;

  /** Begins like no option of a command, and ends like no part of a sentence. */
  private static final Pattern PLAIN = Pattern.compile("(?!-)[A-Za-z0-9_.:/@{}-]*[A-Za-z0-9_}]");

  private Quoted() {}

  public static String of(String value) {
    boolean shortened = value.codePointCount(0, value.length()) > MOST_SHOWN;
    return "\""
        + escaped(value, MOST_SHOWN)
        + (shortened ? "...\" (" + value.length() + " characters)" : "\"");
  }

  /** Formats the name of a filter: as it is if nobody can misread it, otherwise whole in quotes. */
  public static String name(String value) {
    return PLAIN.matcher(value).matches() ? value : "\"" + escaped(value, value.length()) + "\"";
  }

  private static String escaped(String value, int most) {
    StringBuilder escaped = new StringBuilder();
    value.codePoints().limit(most).forEach(c -> append(escaped, c));
    return escaped.toString();
  }

  private static void append(StringBuilder quoted, int c) {
    if (c == '"' || c == '\\') {
      quoted.append('\\').append((char) c);
    } else if (visible(c)) {
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
