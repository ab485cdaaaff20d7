package io.github.slotbloom.cli.command;

import io.github.slotbloom.cli.UsageException;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** Reads keys from arguments, which Java passes as decoded text. */
final class KeyArguments {

  private static final char REPLACEMENT = '\uFFFD';

  private KeyArguments() {}

  /** Returns the original bytes of each argument. */
  static List<byte[]> bytes(List<String> arguments) {
    return arguments.stream().map(KeyArguments::bytes).toList();
  }

  private static byte[] bytes(String argument) {
    // Java replaces bytes that it cannot decode with this character, so different keys would become
    // one.
    if (argument.indexOf(REPLACEMENT) >= 0) {
      throw new UsageException(
          "The key '"
              + argument
              + "' contains the character U+FFFD, so the shell or the locale changed it; pass the"
              + " key on standard input instead.");
    }
    return argument.getBytes(StandardCharsets.UTF_8);
  }
}
