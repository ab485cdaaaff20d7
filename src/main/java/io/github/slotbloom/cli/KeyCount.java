package io.github.slotbloom.cli;

import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Reads a number of keys, in which underscores may group the digits. */
final class KeyCount implements ITypeConverter<Long> {

  @Override
  public Long convert(String value) {
    if (!value.matches("[0-9][0-9_]{0,18}")) {
      throw new TypeConversionException(
          "'" + value + "' is not a number of keys; write it as 1000000 or 1_000_000");
    }
    return Long.valueOf(value.replace("_", ""));
  }
}
