package io.github.slotbloom.cli.command;

import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/**
 * A range of slots, such as {@code 16-23}, or a single slot.
 *
 * @param first the first slot
 * @param last the last slot, included
 */
public record SlotSpan(long first, long last) {

  /** Reads a range of slots. */
  public static final class Converter implements ITypeConverter<SlotSpan> {

    private static final Pattern SPAN = Pattern.compile("(\\d{1,18})(?:-(\\d{1,18}))?");

    @Override
    public SlotSpan convert(String value) {
      Matcher span = SPAN.matcher(value);
      if (!span.matches()) {
        throw new TypeConversionException(
            "'" + value + "' is not a slot such as 16 or a range of slots such as 16-23");
      }
      long first = Long.parseLong(span.group(1));
      long last = span.group(2) == null ? first : Long.parseLong(span.group(2));
      if (last < first) {
        throw new TypeConversionException(
            "'" + value + "' ends before it begins; write the lower number first, as in 16-23");
      }
      return new SlotSpan(first, last);
    }
  }
}
