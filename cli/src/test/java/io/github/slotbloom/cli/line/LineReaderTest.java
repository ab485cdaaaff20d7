package io.github.slotbloom.cli.line;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.slotbloom.cli.CommandException;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.SequenceInputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class LineReaderTest {

  @Test
  void onlyALineFeedEndsALine() throws IOException {
    assertThat(lines("a\r\nb\rc\f\u0085\n")).containsExactly("a\r", "b\rc\f\u0085");
  }

  @Test
  void emptyLinesAreLines() throws IOException {
    assertThat(lines("\n\na\n\n")).containsExactly("", "", "a", "");
    assertThat(lines("")).isEmpty();
  }

  @Test
  void theReaderKnowsIfTheLastLineEnded() throws IOException {
    assertThat(read(stream("a\nb"))).extracting(Line::terminated).containsExactly(true, false);
    assertThat(read(stream("a\nb\n"))).extracting(Line::terminated).containsExactly(true, true);
  }

  @Test
  void anotherByteCanEndLines() throws IOException {
    LineReader reader = new LineReader(stream("a\nb\0\0c"), "here", (byte) 0);

    assertThat(reader.next())
        .extracting(line -> new String(line.bytes(), ISO_8859_1))
        .containsExactly("a\nb", "");
  }

  @Test
  void linesKnowTheirFileAndNumber() throws IOException {
    assertThat(read(stream("a\n\nb")))
        .extracting(Line::place)
        .containsExactly("here, line 1", "here, line 2", "here, line 3");
  }

  @Test
  void linesAreTheSameForAnyPiecesOfInput() throws IOException {
    byte[] bytes = new byte[500_000];
    new Random(7).nextBytes(bytes);
    String input = new String(bytes, ISO_8859_1);
    List<InputStream> pieces = new ArrayList<>();
    Random sizes = new Random(8);
    for (int start = 0; start < bytes.length; ) {
      int end = Math.min(bytes.length, start + 1 + sizes.nextInt(2_000));
      pieces.add(stream(input.substring(start, end)));
      start = end;
    }

    List<Line> lines = read(new SequenceInputStream(Collections.enumeration(pieces)));

    assertThat(lines)
        .extracting(line -> new String(line.bytes(), ISO_8859_1))
        .containsExactly(input.split("\n"));
  }

  @Test
  void completeLinesAreHandedOutBeforeTheReaderWaits() throws IOException {
    InputStream neverEnding =
        new SequenceInputStream(
            stream("a\nb\nbegun"),
            new InputStream() {
              @Override
              public int read() {
                throw new AssertionError("The lines before were not handed out yet.");
              }

              @Override
              public int read(byte[] bytes, int offset, int length) {
                return read();
              }
            });

    List<Line> first = new LineReader(neverEnding, "here", (byte) '\n').next();

    assertThat(first)
        .extracting(line -> new String(line.bytes(), ISO_8859_1))
        .containsExactly("a", "b");
  }

  @Test
  void aLineWithoutAnEndIsRefusedWithItsPlaceAndNoMoreIsRead() throws IOException {
    long[] read = {0};
    InputStream endless =
        new InputStream() {
          @Override
          public int read() {
            throw new AssertionError("Byte by byte it would take too long.");
          }

          @Override
          public int read(byte[] bytes, int offset, int length) {
            Arrays.fill(bytes, offset, offset + length, (byte) 0);
            read[0] += length;
            return length;
          }
        };
    LineReader reader =
        new LineReader(
            new SequenceInputStream(stream("a\nb\nbegun"), endless), "here", (byte) '\n');

    assertThat(reader.next()).hasSize(2);
    assertThatThrownBy(reader::next)
        .isInstanceOf(CommandException.class)
        .hasMessageContaining("here, line 3: the line has more than 64.0 MiB")
        .hasMessageContaining("neither recorded nor printed")
        .hasMessageContaining("--null");
    assertThat(read[0]).isBetween(64L << 20, 65L << 20);
  }

  private static Stream<String> lines(String input) throws IOException {
    return read(stream(input)).stream().map(line -> new String(line.bytes(), ISO_8859_1));
  }

  private static List<Line> read(InputStream input) throws IOException {
    LineReader reader = new LineReader(input, "here", (byte) '\n');
    List<Line> all = new ArrayList<>();
    for (List<Line> next = reader.next(); next != null; next = reader.next()) {
      assertThat(next).isNotEmpty();
      all.addAll(next);
    }
    return all;
  }

  private static InputStream stream(String text) {
    return new ByteArrayInputStream(text.getBytes(ISO_8859_1));
  }
}
