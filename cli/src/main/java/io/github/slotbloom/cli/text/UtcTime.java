package io.github.slotbloom.cli.text;

import java.time.DateTimeException;
import java.time.Instant;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Reads a moment as ISO 8601 writes it, with its offset from UTC, so that no time zone matters. */
public final class UtcTime implements ITypeConverter<Instant> {

  @Override
  public Instant convert(String value) {
    try {
      return Instant.parse(value);
    } catch (DateTimeException e) {
      throw new TypeConversionException(
          "'" + value + "' is not a time; write it in UTC, such as 2027-01-31T00:00:00Z");
    }
  }
}
