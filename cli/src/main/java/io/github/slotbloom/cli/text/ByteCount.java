package io.github.slotbloom.cli.text;

import java.util.Locale;

/** Writes a number of bytes for people. */
public final class ByteCount {

  private static final String[] UNITS = {"KiB", "MiB", "GiB", "TiB", "PiB"};

  private ByteCount() {}

  public static String of(long bytes) {
    if (bytes < 1024) {
      return bytes + " B";
    }
    double amount = bytes / 1024.0;
    int unit = 0;
    while (amount >= 1023.95 && unit < UNITS.length - 1) {
      amount /= 1024;
      unit++;
    }
    return String.format(Locale.ROOT, "%.1f %s", amount, UNITS[unit]);
  }
}
