package io.github.slotbloom.cli.line;

import io.github.slotbloom.KeySource;
import io.github.slotbloom.cli.CommandException;
import io.github.slotbloom.cli.UsageException;
import io.github.slotbloom.cli.terminal.Wording;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.stream.Stream;

/**
 * The keys in the lines of a file. They can be read repeatedly. Lines without a key are skipped.
 */
public final class FileKeys<K> {

  private static final String GO_ON =
      "Nothing is lost: fix that and run the command again; it continues where it stopped.";

  private final String file;
  private final byte separator;
  private final KeyField field;
  private final KeyFormat<K> format;

  /**
   * @param separator the byte that ends a line
   */
  public FileKeys(String file, byte separator, KeyField field, KeyFormat<K> format) {
    this.file = file;
    this.separator = separator;
    this.field = field;
    this.format = format;
  }

  /**
   * Fails if the file cannot be read repeatedly from its beginning.
   *
   * @param option the option that names the file
   */
  public static void requireRereadable(String option, String file, boolean literal) {
    if (file.equals("-") && !literal) {
      throw new UsageException(
          option
              + " reads its keys more than once, so they cannot come from standard input; put them"
              + " into a file.");
    }
    Inputs.of(List.of(file), true).requireReadable();
    if (!Files.isRegularFile(Path.of(file))) {
      throw new CommandException(
          "Cannot read "
              + file
              + " more than once: it is not a regular file. Put the keys into a regular file.",
          null);
    }
  }

  /** Returns a source for all keys. The same file gives the same source under any name. */
  public KeySource source() {
    try {
      return KeySource.of("file " + Path.of(file).toRealPath(), format.type(), this::stream);
    } catch (IOException e) {
      throw new CommandException("Cannot read " + file + ": " + Wording.reason(e) + ".", e);
    }
  }

  private Stream<K> stream() throws IOException {
    InputStream input = Files.newInputStream(Path.of(file));
    LineReader reader = new LineReader(input, file, separator);
    return Stream.generate(() -> next(reader))
        .takeWhile(Optional::isPresent)
        .flatMap(lines -> lines.orElseThrow().stream())
        .<K>mapMulti(this::parse)
        .onClose(() -> close(input));
  }

  private Optional<List<Line>> next(LineReader reader) {
    try {
      return Optional.ofNullable(reader.next());
    } catch (IOException e) {
      throw new CommandException(
          "Cannot read " + file + ": " + Wording.reason(e) + ". " + GO_ON, e);
    }
  }

  private void parse(Line line, Consumer<K> keys) {
    byte[] written = field.of(line.bytes());
    if (written != null) {
      try {
        keys.accept(format.parse(written));
      } catch (BadKeyException e) {
        throw new CommandException(line.place() + ": " + e.getMessage() + ". " + GO_ON, e);
      }
    }
  }

  private static void close(InputStream input) {
    try {
      input.close();
    } catch (IOException e) {
      throw new UncheckedIOException("Cannot close the file: " + e.getMessage(), e);
    }
  }
}
