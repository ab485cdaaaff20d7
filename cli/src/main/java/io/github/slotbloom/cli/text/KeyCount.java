package io.github.slotbloom.cli.text;

import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Reads a number of keys: 1000000, 1_000_000, 1M or 1e6. */
public final class KeyCount implements ITypeConverter<Long> {

  private static final int MOST_DIGITS = 18;

  private static final Pattern WRITTEN =
      Pattern.compile("([0-9]{1,18}|[0-9]{1,3}(?:_[0-9]{3}){1,5})(?:([kKMG])|e([0-9]{1,2}))?");

  @Override
  public Long convert(String value) {
    Matcher written = WRITTEN.matcher(value);
    if (written.matches()) {
      String digits = written.group(1).replace("_", "") + "0".repeat(zeros(written));
      if (digits.length() <= MOST_DIGITS) {
        return Long.valueOf(digits);
      }
    }
    throw new TypeConversionException(
        "'"
            + value
            + "' is not a number of keys; write it as 1000000, 1_000_000, 1M or 1e6, with "
            + MOST_DIGITS
            + " digits at most");
  }

  private static int zeros(Matcher written) {
    if (written.group(3) != null) {
      return Integer.parseInt(written.group(3));
    }
    String unit = written.group(2);
    return unit == null ? 0 : 3 * (1 + "KMG".indexOf(unit.toUpperCase(Locale.ROOT)));
  }
}
