package io.github.slotbloom.cli;

import io.github.slotbloom.core.KeyType;
import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * The keys of the command line: text, as the bytes that came. Valid UTF-8 is the key that a program
 * adds as a String; other bytes are keys as well, which no String equals.
 */
final class Keys {

  static final KeyType<byte[]> TYPE = KeyType.textBytes();

  private static final char REPLACEMENT = '\uFFFD';

  private Keys() {}

  /** Takes keys from arguments, which Java hands over decoded. */
  static List<byte[]> ofArguments(List<String> arguments) {
    return arguments.stream().map(Keys::ofArgument).toList();
  }

  private static byte[] ofArgument(String argument) {
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
