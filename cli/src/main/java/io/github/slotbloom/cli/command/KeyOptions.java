package io.github.slotbloom.cli.command;

import io.github.slotbloom.BloomFilter;
import io.github.slotbloom.FilterOptions;
import io.github.slotbloom.cli.UsageException;
import io.github.slotbloom.cli.connect.Session;
import io.github.slotbloom.cli.line.KeyFormat;
import io.github.slotbloom.core.FilterName;
import io.github.slotbloom.error.FilterMismatchException;
import picocli.CommandLine.Option;

/** The options that choose the type of the keys. */
final class KeyOptions {

  @Option(
      names = "--key-type",
      paramLabel = "TYPE",
      converter = KeyFormat.Converter.class,
      completionCandidates = KeyFormat.Names.class,
      description =
          "How keys are written: text (the default); long: 64-bit whole numbers; hex: bytes in"
              + " hexadecimal. A new filter gets this type; an existing one must have it.")
  private KeyFormat<?> format = KeyFormat.TEXT;

  KeyFormat<?> format() {
    return format;
  }

  /** Opens a filter whose keys must have the given type. */
  static <K> BloomFilter<K> open(
      Session session, String name, KeyFormat<K> format, FilterOptions options) {
    try {
      return session.withTables(() -> session.bloom().open(name, format.type(), options));
    } catch (FilterMismatchException e) {
      throw otherType(session, name, e);
    }
  }

  /** Creates the error for a filter whose keys have another type. */
  static UsageException otherType(Session session, String name, FilterMismatchException cause) {
    String stored = session.bloom().info(name).keyType();
    return new UsageException(
        "Filter "
            + new FilterName(name)
            + " has keys of the type "
            + stored
            + "; "
            + KeyFormat.remedyFor(stored)
            + ".",
        cause);
  }
}
