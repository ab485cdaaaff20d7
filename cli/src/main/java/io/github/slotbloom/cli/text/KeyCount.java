package io.github.slotbloom.cli.text;

import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Reads a number of keys. Underscores may group the digits. */
public final class KeyCount implements ITypeConverter<Long> {

  @Override
  public Long convert(String value) {
    if (!value.matches("[0-9]{1,18}|[0-9]{1,3}(_[0-9]{3}){1,5}")) {
      throw new TypeConversionException(
          "'"
              + value
              + "' is not a number of keys; write it as 1000000 or 1_000_000, with 18 digits at most");
    }
    return Long.valueOf(value.replace("_", ""));
  }
}
