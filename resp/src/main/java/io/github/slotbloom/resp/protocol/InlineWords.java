package io.github.slotbloom.resp.protocol;

import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.List;

/**
 * Splits a line into words as Redis does: at white space; double quotes know {@code \n}, {@code
 * \x41} and the like, single quotes {@code \'} alone.
 */
final class InlineWords {

  private final byte[] line;
  private int at;

  private InlineWords(byte[] line) {
    this.line = line;
  }

  /**
   * Returns the words of a line.
   *
   * @throws ProtocolException if a quote is not closed, or is followed by more than white space
   */
  static List<byte[]> of(byte[] line) {
    InlineWords words = new InlineWords(line);
    List<byte[]> found = new ArrayList<>();
    while (words.skipSpace()) {
      found.add(words.next());
    }
    return found;
  }

  private boolean skipSpace() {
    while (at < line.length && isSpace(line[at])) {
      at++;
    }
    return at < line.length;
  }

  private byte[] next() {
    ByteArrayOutputStream word = new ByteArrayOutputStream();
    while (at < line.length && !isSpace(line[at])) {
      byte first = line[at++];
      switch (first) {
        case '"', '\'' -> quoted(first, word);
        default -> word.write(first);
      }
    }
    return word.toByteArray();
  }

  private void quoted(byte quote, ByteArrayOutputStream word) {
    while (at < line.length && line[at] != quote) {
      byte next = line[at++];
      if (next != '\\' || at == line.length) {
        word.write(next);
      } else if (quote == '"') {
        word.write(escaped());
      } else if (line[at] == '\'') {
        word.write(line[at++]);
      } else {
        word.write(next);
      }
    }
    boolean closed = at < line.length;
    at++;
    if (!closed || (at < line.length && !isSpace(line[at]))) {
      throw new ProtocolException("unbalanced quotes in request");
    }
  }

  private int escaped() {
    byte letter = line[at++];
    if (letter == 'x' && at + 1 < line.length && hex(at) >= 0 && hex(at + 1) >= 0) {
      int value = hex(at) * 16 + hex(at + 1);
      at += 2;
      return value;
    }
    return switch (letter) {
      case 'n' -> '\n';
      case 'r' -> '\r';
      case 't' -> '\t';
      case 'b' -> '\b';
      case 'a' -> 7;
      default -> letter;
    };
  }

  private int hex(int place) {
    return Character.digit((char) line[place], 16);
  }

  private static boolean isSpace(byte b) {
    return b == ' ' || (b >= '\t' && b <= '\r') || b == 0;
  }
}
