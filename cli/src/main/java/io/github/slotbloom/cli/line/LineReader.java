package io.github.slotbloom.cli.line;

import io.github.slotbloom.cli.CommandException;
import io.github.slotbloom.cli.text.ByteCount;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Splits input into lines. Only one byte ends a line. A carriage return before a line feed belongs
 * to the line, and invalid UTF-8 passes unchanged. An empty line is a line. Lines that a line feed
 * ends are {@link TextInput text}; others are read as they come.
 *
 * <p>Returns the lines that one read of the input gave, so lines move on at once when the input
 * pauses.
 */
final class LineReader {

  /** Small enough that several chunks of short lines nearly fill a transaction. */
  private static final int CHUNK = 64 * 1024;

  /** The longest line in bytes. It is far longer than any real line, and fits into memory. */
  private static final int LONGEST_LINE = 64 << 20;

  private final String name;
  private final String source;
  private final byte separator;
  private final byte[] chunk = new byte[CHUNK];
  private final ByteArrayOutputStream unfinished = new ByteArrayOutputStream();
  private InputStream input;
  private long number;
  private boolean begun;
  private boolean ended;

  /**
   * @param source the name of the input in words
   * @param separator the byte that ends a line
   */
  LineReader(InputStream input, String source, byte separator) {
    this.input = input;
    this.name = source;
    this.source = source + ", line ";
    this.separator = separator;
  }

  /**
   * Returns the next lines, at least one, as soon as there are any. Null at the end of the input.
   */
  @Nullable List<Line> next() throws IOException {
    if (!begun && separator == '\n') {
      input = TextInput.of(input, name);
    }
    begun = true;
    List<Line> lines = new ArrayList<>();
    while (lines.isEmpty()) {
      if (ended) {
        return null;
      }
      int length = input.read(chunk);
      if (length < 0) {
        ended = true;
        if (unfinished.size() > 0) {
          lines.add(new Line(unfinished.toByteArray(), false, source, ++number));
        }
      } else {
        cut(length, lines);
      }
    }
    return lines;
  }

  private void cut(int length, List<Line> lines) {
    int start = 0;
    for (int i = 0; i < length; i++) {
      if (chunk[i] == separator) {
        lines.add(line(start, i));
        start = i + 1;
      }
    }
    unfinished.write(chunk, start, length - start);
    if (unfinished.size() > LONGEST_LINE) {
      throw new CommandException(
          source
              + (number + 1)
              + ": the line has more than "
              + ByteCount.of(LONGEST_LINE)
              + ". This line and later ones are neither recorded nor printed. If lines end with a"
              + " NUL byte, add --null.",
          null);
    }
  }

  private Line line(int start, int end) {
    byte[] bytes;
    if (unfinished.size() == 0) {
      bytes = Arrays.copyOfRange(chunk, start, end);
    } else {
      unfinished.write(chunk, start, end - start);
      bytes = unfinished.toByteArray();
      unfinished.reset();
    }
    return new Line(bytes, true, source, ++number);
  }
}
