package io.github.slotbloom.resp.command;

/**
 * A pattern of names as Redis has them: {@code *}, {@code ?}, {@code [a-c]}, {@code [^a]}, and a
 * backslash before a sign that means itself.
 */
final class Glob {

  private final String pattern;

  Glob(String pattern) {
    this.pattern = pattern;
  }

  /** Takes time in proportion to the product of both lengths, whatever the pattern. */
  boolean matches(String name) {
    int at = 0;
    int place = 0;
    int star = -1;
    int afterStar = 0;
    while (at < name.length()) {
      int next = place < pattern.length() ? one(name.charAt(at), place) : -1;
      if (place < pattern.length() && pattern.charAt(place) == '*') {
        star = ++place;
        afterStar = at;
      } else if (next >= 0) {
        at++;
        place = next;
      } else if (star >= 0) {
        // The last star takes one sign more.
        place = star;
        at = ++afterStar;
      } else {
        return false;
      }
    }
    while (place < pattern.length() && pattern.charAt(place) == '*') {
      place++;
    }
    return place == pattern.length();
  }

  /** Returns the place behind what matches the sign; -1 if it does not match. */
  private int one(char sign, int place) {
    char first = pattern.charAt(place);
    return switch (first) {
      case '?' -> place + 1;
      case '[' -> anyOf(sign, place + 1);
      case '\\' -> {
        int literal = Math.min(place + 1, pattern.length() - 1);
        yield pattern.charAt(literal) == sign ? literal + 1 : -1;
      }
      default -> first == sign ? place + 1 : -1;
    };
  }

  private int anyOf(char sign, int begin) {
    int place = begin;
    boolean not = place < pattern.length() && pattern.charAt(place) == '^';
    if (not) {
      place++;
    }
    boolean found = false;
    while (place < pattern.length() && pattern.charAt(place) != ']') {
      if (pattern.charAt(place) == '\\' && place + 1 < pattern.length()) {
        place++;
      }
      char low = pattern.charAt(place++);
      char high = low;
      if (place + 1 < pattern.length() && pattern.charAt(place) == '-') {
        high = pattern.charAt(place + 1);
        place += 2;
      }
      found |= Math.min(low, high) <= sign && sign <= Math.max(low, high);
    }
    return found == not ? -1 : Math.min(place + 1, pattern.length());
  }
}
