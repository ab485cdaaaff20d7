package io.github.slotbloom.cli.text;

import java.time.Duration;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Reads and writes a time as a number with a unit: seconds, minutes, hours or days. */
public final class TimeSpan implements ITypeConverter<Duration> {

  @Override
  public Duration convert(String value) {
    if (!value.matches("[1-9][0-9]{0,6}[smhd]")) {
      throw new TypeConversionException(
          "'" + value + "' is not a time span; write it as 90s, 30m, 12h or 7d");
    }
    int unit = value.length() - 1;
    long number = Long.parseLong(value.substring(0, unit));
    return switch (value.charAt(unit)) {
      case 's' -> Duration.ofSeconds(number);
      case 'm' -> Duration.ofMinutes(number);
      case 'h' -> Duration.ofHours(number);
      default -> Duration.ofDays(number);
    };
  }

  /** Writes a time in the largest unit of which it is a whole number. */
  public static String of(Duration time) {
    if (time.toMillisPart() != 0) {
      return time.toMillis() / 1000.0 + "s";
    }
    if (time.toSecondsPart() != 0) {
      return time.toSeconds() + "s";
    }
    if (time.toMinutesPart() != 0) {
      return time.toMinutes() + "m";
    }
    return time.toHoursPart() != 0 ? time.toHours() + "h" : time.toDays() + "d";
  }
}
