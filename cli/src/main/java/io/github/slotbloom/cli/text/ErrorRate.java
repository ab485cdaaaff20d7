package io.github.slotbloom.cli.text;

import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Reads a false positive rate. */
public final class ErrorRate implements ITypeConverter<Double> {

  @Override
  public Double convert(String value) {
    try {
      return Double.valueOf(value);
    } catch (NumberFormatException e) {
      throw new TypeConversionException(
          "'" + value + "' is not a rate; write it as 0.001 or 1e-6, between 0 and 1");
    }
  }
}
