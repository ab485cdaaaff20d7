package io.github.slotbloom.cli.text;

import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Reads a false positive rate. */
public final class FalsePositiveRate implements ITypeConverter<Double> {

  @Override
  public Double convert(String value) {
    try {
      return Double.valueOf(value);
    } catch (NumberFormatException e) {
      throw new TypeConversionException(
          "'" + value + "' is not a rate; use a number between 0 and 1, such as 0.001 or 1e-6");
    }
  }
}
