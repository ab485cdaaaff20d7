package io.github.slotbloom.cli.command;

import io.github.slotbloom.cli.UsageException;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** Keys that are given as arguments, which Java hands over decoded. */
final class KeyArguments {

  private static final char REPLACEMENT = '\uFFFD';

  private KeyArguments() {}

  /** The bytes of each argument as they were given. */
  static List<byte[]> bytes(List<String> arguments) {
    return arguments.stream().map(KeyArguments::bytes).toList();
  }

  private static byte[] bytes(String argument) {
    // Java puts this character for bytes that it cannot decode, so different keys would become one.
    if (argument.indexOf(REPLACEMENT) >= 0) {
      throw new UsageException(
          "The key '"
              + argument
              + "' holds the character U+FFFD, so it did not arrive as it was given; pass it on"
              + " standard input instead.");
    }
    return argument.getBytes(StandardCharsets.UTF_8);
  }
}
