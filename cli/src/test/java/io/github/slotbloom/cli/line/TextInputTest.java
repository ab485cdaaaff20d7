package io.github.slotbloom.cli.line;

import static java.nio.charset.StandardCharsets.UTF_16;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.slotbloom.cli.CommandException;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class TextInputTest {

  private static List<String> lines(byte[] input, char separator) throws IOException {
    LineReader reader = new LineReader(new ByteArrayInputStream(input), "here", (byte) separator);
    List<String> lines = new ArrayList<>();
    for (List<Line> next = reader.next(); next != null; next = reader.next()) {
      next.forEach(line -> lines.add(new String(line.bytes(), UTF_8)));
    }
    return lines;
  }

  private static byte[] gzip(String text) throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    try (GZIPOutputStream gzip = new GZIPOutputStream(out)) {
      gzip.write(text.getBytes(UTF_8));
    }
    return out.toByteArray();
  }

  @Test
  void gzipIsReadLikeItsContent() throws IOException {
    ByteArrayOutputStream both = new ByteArrayOutputStream();
    both.write(gzip("\uFEFFa\n"));
    both.write(gzip("b\n"));
    assertThat(lines(both.toByteArray(), '\n')).containsExactly("a", "b");
  }

  @Test
  void aMarkAtTheBeginningIsNoPartOfTheFirstKey() throws IOException {
    assertThat(lines("\uFEFFa\n\uFEFFb\n".getBytes(UTF_8), '\n')).containsExactly("a", "\uFEFFb");
    assertThat(lines("\uFEFF".getBytes(UTF_8), '\n')).isEmpty();
    assertThat(lines("\uFEFFa\0".getBytes(UTF_8), '\0')).containsExactly("\uFEFFa");
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "P", "PK", "BZ\n", "(\n", "a"})
  void aBeginningOfABeginningIsText(String text) throws IOException {
    assertThat(lines(text.getBytes(UTF_8), '\n')).containsExactlyElementsOf(text.lines().toList());
  }

  @ParameterizedTest
  @CsvSource({
    "28b52ffd00, zstdcat",
    "fd377a585a00, xzcat",
    "425a6839314159265359, bzcat",
    "504b0304, unzip",
    "fffe6100, iconv",
  })
  void whatIsNoTextIsRefused(String hexadecimal, String remedy) {
    byte[] input = HexFormat.of().parseHex(hexadecimal);
    assertThatThrownBy(() -> lines(input, '\n'))
        .isInstanceOf(CommandException.class)
        .hasMessageContaining("Cannot read here: it is")
        .hasMessageContaining(remedy);
  }

  @Test
  void utf16IsRefused() {
    assertThatThrownBy(() -> lines("a\n".getBytes(UTF_16), '\n')).hasMessageContaining("UTF-16");
  }

  @Test
  void bytesThatANulEndsAreReadAsTheyCome() throws IOException {
    byte[] gzip = gzip("a");
    assertThat(String.join("\0", lines(gzip, '\0')))
        .startsWith(new String(gzip, 0, 2, UTF_8))
        .isNotEqualTo("a");
  }
}
