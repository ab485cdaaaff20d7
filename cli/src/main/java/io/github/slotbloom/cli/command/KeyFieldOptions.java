package io.github.slotbloom.cli.command;

import io.github.slotbloom.cli.line.KeyField;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The options that choose the part of a line that is the key. */
final class KeyFieldOptions {

  @Option(
      names = "--key-field",
      paramLabel = "N",
      description =
          "The key is field N, counted from 1 and separated by spaces and tabs as in awk. Lines"
              + " without it have no key. Default: the key is the whole line.")
  private @Nullable Integer number;

  @Option(
      names = "--delimiter",
      paramLabel = "TEXT",
      description =
          "What separates fields instead, each time it occurs; \\t is a tab. An empty field counts"
              + " as missing.")
  private @Nullable String delimiter;

  KeyField field() {
    return new KeyField(number, delimiter);
  }
}
