package io.github.slotbloom.cli.line;

import io.github.slotbloom.cli.CommandException;
import io.github.slotbloom.cli.UsageException;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.OptionalLong;

/**
 * The names of the files to read, in order. Standard input is read if there are no files, and for
 * the name {@code -}. {@link LinePipeline} opens and reads them.
 */
public record Inputs(List<String> names) {

  public static final Inputs STANDARD_INPUT = new Inputs(List.of("-"));

  /**
   * Returns the inputs that arguments name.
   *
   * @param literal if true, {@code -} is an ordinary file name
   */
  public static Inputs of(List<String> files, boolean literal) {
    return files.isEmpty()
        ? STANDARD_INPUT
        : new Inputs(
            files.stream().map(file -> literal && file.equals("-") ? "./-" : file).toList());
  }

  /** Checks all files in advance, so that a command does not fail half way. */
  public void requireReadable() {
    if (names.stream().filter(Inputs::isStandardInput).count() > 1) {
      throw new UsageException(
          "Standard input can be read only once, but - is given more than once; name it once.");
    }
    for (String name : names) {
      if (!isStandardInput(name)) {
        Path file = Path.of(name);
        if (name.isEmpty()) {
          throw new CommandException("Cannot read '': the file name is empty.", null);
        }
        if (Files.isDirectory(file)) {
          throw new CommandException("Cannot read " + name + ": it is a directory.", null);
        }
        if (Files.notExists(file)) {
          throw new CommandException(
              "Cannot read " + name + ": there is no such file." + hint(name), null);
        }
        if (!Files.isReadable(file)) {
          throw new CommandException("Cannot read " + name + ": permission denied.", null);
        }
      }
    }
  }

  private static String hint(String name) {
    return name.indexOf('\uFFFD') < 0
        ? ""
        : " The name contains the character U+FFFD, so the shell or the locale changed it; redirect"
            + " the file to standard input instead.";
  }

  public boolean includeStandardInput() {
    return names.stream().anyMatch(Inputs::isStandardInput);
  }

  /** Returns the total size in bytes, if it is known. */
  public OptionalLong size() {
    try {
      long sum = 0;
      for (String name : names) {
        if (isStandardInput(name)
            || !Files.isRegularFile(Path.of(name))
            // What is compressed has more lines than its size tells.
            || name.endsWith(".gz")) {
          return OptionalLong.empty();
        }
        sum += Files.size(Path.of(name));
      }
      return OptionalLong.of(sum);
    } catch (IOException e) {
      throw new UncheckedIOException("Cannot read the size of the input: " + e.getMessage(), e);
    }
  }

  public static InputStream open(String name, InputStream standardInput) throws IOException {
    return isStandardInput(name) ? standardInput : Files.newInputStream(Path.of(name));
  }

  /** Returns the name of an input for messages. */
  public static String inWords(String name) {
    return isStandardInput(name) ? "standard input" : name;
  }

  private static boolean isStandardInput(String name) {
    return name.equals("-");
  }
}
