package io.github.slotbloom.cli.page;

import java.math.BigDecimal;
import java.math.MathContext;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Locale;

/** Formats numbers, times and choices for the page. */
final class Notation {

  private static final DateTimeFormatter TIME = utc("d MMMM uuuu, HH:mm 'UTC'");

  private static final DateTimeFormatter MINUTE = utc("d MMM uuuu HH:mm");
  private static final DateTimeFormatter SECOND = utc("d MMM uuuu HH:mm:ss");

  private static final MathContext TWO_DIGITS = new MathContext(2);

  private static final long SECONDS_A_MINUTE = 60;
  private static final long SECONDS_AN_HOUR = 60 * SECONDS_A_MINUTE;
  private static final long SECONDS_A_DAY = 24 * SECONDS_AN_HOUR;

  /** The smallest value in percent. A smaller one would have too many zeros. */
  private static final double LEAST_IN_PERCENT = 1e-6;

  private static final String SUPERSCRIPTS = "⁰¹²³⁴⁵⁶⁷⁸⁹";
  private static final String NO_BREAK_SPACE = "\u00a0";
  private static final String[] MAGNITUDES = {"", "k", "M", "G", "T"};
  private static final String[] BINARY_UNITS = {"bytes", "KiB", "MiB", "GiB"};

  private Notation() {}

  private static DateTimeFormatter utc(String pattern) {
    return DateTimeFormatter.ofPattern(pattern, Locale.ENGLISH).withZone(ZoneOffset.UTC);
  }

  static String count(long number) {
    return String.format(Locale.ROOT, "%,d", number);
  }

  /** Returns a number and a noun, with an s in the plural. */
  static String count(long number, String what) {
    return count(number) + NO_BREAK_SPACE + what + (number == 1 ? "" : "s");
  }

  /** Returns a round number as an axis shows it. */
  static String compact(double number) {
    int magnitude = 0;
    double shown = number;
    while (shown >= 1000 && magnitude < MAGNITUDES.length - 1) {
      shown /= 1000;
      magnitude++;
    }
    String digits = plain(new BigDecimal(shown).round(new MathContext(6)));
    return magnitude == 0 ? digits : digits + NO_BREAK_SPACE + MAGNITUDES[magnitude];
  }

  /** Returns a false positive rate with two digits. */
  static String rate(double rate) {
    if (rate <= 0) {
      return percent("0");
    }
    if (rate < LEAST_IN_PERCENT) {
      return scientific(rate);
    }
    return percent(plain(new BigDecimal(100 * rate).round(TWO_DIGITS)));
  }

  /** Returns a power of ten. */
  static String power(int exponent) {
    return "10" + superscript(exponent);
  }

  private static String scientific(double rate) {
    BigDecimal rounded = new BigDecimal(rate).round(TWO_DIGITS);
    int exponent = rounded.precision() - rounded.scale() - 1;
    String digits = plain(rounded.movePointLeft(exponent));
    return digits + NO_BREAK_SPACE + "×" + NO_BREAK_SPACE + power(exponent);
  }

  private static String superscript(int exponent) {
    StringBuilder text = new StringBuilder(exponent < 0 ? "⁻" : "");
    for (char digit : Integer.toString(Math.abs(exponent)).toCharArray()) {
      text.append(SUPERSCRIPTS.charAt(digit - '0'));
    }
    return text.toString();
  }

  /** Returns the used share of the whole, to a tenth of a percent as the command line tells it. */
  static String used(double share) {
    double percent = 100 * share;
    return percent >= 1 || percent <= 0
        ? percent(UsedShare.percent(share).replaceFirst("\\.0$", ""))
        : percent(plain(new BigDecimal(percent).round(new MathContext(1))));
  }

  /** Returns the same as {@link #used} in few characters, however large the share is. */
  static String usedInShort(double share) {
    if (share > 1 && share < 10) {
      return percent(count((long) (100 * share)));
    }
    return share <= 1 ? used(share) : compact(Math.floor(share)) + "\u00a0×";
  }

  /** Returns a part of the whole, to a tenth of a percent. */
  static String share(double share) {
    return percent(String.format(Locale.ROOT, "%.1f", 100 * share));
  }

  private static String percent(String digits) {
    return digits + NO_BREAK_SPACE + "%";
  }

  static String bytes(long bytes) {
    double shown = bytes;
    int unit = 0;
    while (shown >= 1024 && unit < BINARY_UNITS.length - 1) {
      shown /= 1024;
      unit++;
    }
    String digits = unit == 0 || shown >= 100 ? "%,.0f" : "%.1f";
    return String.format(Locale.ROOT, digits, shown) + NO_BREAK_SPACE + BINARY_UNITS[unit];
  }

  /** Returns a duration in whole units. It has at least two of its unit, except for seconds. */
  static String duration(Duration time) {
    long seconds = time.toSeconds();
    if (seconds >= 2 * SECONDS_A_DAY) {
      return count(time.toDays(), "day");
    }
    if (seconds >= 2 * SECONDS_AN_HOUR) {
      return count(time.toHours(), "hour");
    }
    if (seconds >= 2 * SECONDS_A_MINUTE) {
      return count(time.toMinutes(), "minute");
    }
    return count(seconds, "second");
  }

  static String time(Instant time) {
    return TIME.format(time);
  }

  /** Returns a moment in few characters, with seconds only where there are some. */
  static String moment(Instant time) {
    return (time.getEpochSecond() % SECONDS_A_MINUTE == 0 ? MINUTE : SECOND).format(time);
  }

  /** Returns a choice as the command line writes it. */
  static String choice(Enum<?> choice) {
    return choice.name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /** Returns the choice in words. */
  static String words(Enum<?> choice) {
    return choice(choice).replace('-', ' ');
  }

  static String yesOrNo(boolean value) {
    return value ? "yes" : "no";
  }

  private static String plain(BigDecimal number) {
    return number.signum() == 0 ? "0" : number.stripTrailingZeros().toPlainString();
  }
}
