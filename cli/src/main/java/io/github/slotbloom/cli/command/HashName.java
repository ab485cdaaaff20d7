package io.github.slotbloom.cli.command;

import io.github.slotbloom.core.HashAlgorithm;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Reads a hash function by the name that the catalog and {@code info} use. */
final class HashName implements ITypeConverter<HashAlgorithm> {

  @Override
  public HashAlgorithm convert(String value) {
    return Arrays.stream(HashAlgorithm.values())
        .filter(algorithm -> algorithm.id().equals(value))
        .findFirst()
        .orElseThrow(
            () ->
                new TypeConversionException(
                    "'" + value + "' is not one of " + String.join(", ", ids())));
  }

  private static List<String> ids() {
    return Arrays.stream(HashAlgorithm.values()).map(HashAlgorithm::id).toList();
  }

  /** The candidates for shell completion. */
  static final class All extends ArrayList<String> {
    private static final long serialVersionUID = 1L;

    All() {
      super(ids());
    }
  }
}
