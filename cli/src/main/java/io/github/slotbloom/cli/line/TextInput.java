package io.github.slotbloom.cli.line;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import io.github.slotbloom.cli.CommandException;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.SequenceInputStream;
import java.util.stream.Stream;
import java.util.zip.GZIPInputStream;

/**
 * Input as text, whose lines are keys. What is compressed with gzip is read like its content, and a
 * byte order mark of UTF-8 is left out. What else is no text by its first bytes is refused: its
 * lines would be taken for keys.
 */
final class TextInput {

  /** First bytes of input that is more than its lines, each as a character. */
  private enum Beginning {
    GZIP("\u001f\u008b", ""),
    UTF_8_MARK("\u00ef\u00bb\u00bf", ""),
    UTF_16_LITTLE_ENDIAN("\u00ff\u00fe", "UTF-16. Convert it: iconv -f UTF-16 -t UTF-8"),
    UTF_16_BIG_ENDIAN("\u00fe\u00ff", "UTF-16. Convert it: iconv -f UTF-16 -t UTF-8"),
    ZSTD("(\u00b5/\u00fd", "compressed with zstd. Decompress it: zstdcat"),
    XZ("\u00fd7zXZ\0", "compressed with xz. Decompress it: xzcat"),
    BZIP2("BZh91AY&SY", "compressed with bzip2. Decompress it: bzcat"),
    ZIP("PK\u0003\u0004", "a ZIP file. Unpack it: unzip -p");

    final String bytes;
    final String refusal;

    Beginning(String bytes, String refusal) {
      this.bytes = bytes;
      this.refusal = refusal;
    }
  }

  private TextInput() {}

  /**
   * Returns the text.
   *
   * @param source the name of the input in words
   * @throws CommandException if it is no text
   */
  static InputStream of(InputStream input, String source) throws IOException {
    StringBuilder read = new StringBuilder();
    // No more than is needed, since the next bytes may be long in coming.
    while (mayBeLonger(read.toString())) {
      int next = input.read();
      if (next < 0) {
        break;
      }
      read.append((char) next);
    }
    String begin = read.toString();
    InputStream all =
        new SequenceInputStream(new ByteArrayInputStream(begin.getBytes(ISO_8859_1)), input);
    for (Beginning beginning : Beginning.values()) {
      if (begin.startsWith(beginning.bytes)) {
        return switch (beginning) {
          case GZIP -> of(new GZIPInputStream(all), source);
          case UTF_8_MARK -> {
            all.skipNBytes(beginning.bytes.length());
            yield all;
          }
          default ->
              throw new CommandException(
                  "Cannot read " + source + ": it is " + beginning.refusal + " ... | slotbloom ...",
                  null);
        };
      }
    }
    return all;
  }

  /** Returns true if more bytes may make it a beginning. */
  private static boolean mayBeLonger(String read) {
    return Stream.of(Beginning.values())
        .anyMatch(each -> each.bytes.length() > read.length() && each.bytes.startsWith(read));
  }
}
