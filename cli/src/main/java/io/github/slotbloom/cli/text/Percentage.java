package io.github.slotbloom.cli.text;

import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Reads a whole number of percent, from 1 to 100. */
public final class Percentage implements ITypeConverter<Integer> {

  @Override
  public Integer convert(String value) {
    if (!value.matches("[1-9][0-9]?|100")) {
      throw new TypeConversionException(
          "'" + value + "' is not a percentage; use a whole number from 1 to 100");
    }
    return Integer.valueOf(value);
  }
}
