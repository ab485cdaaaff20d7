package io.github.slotbloom.cli.page;

import io.github.slotbloom.FilterInfo;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * The false positive rate against the number of keys. The rate passes through many powers of ten
 * while a filter fills, so its axis is logarithmic. A linear axis would show nothing before the
 * filter is nearly full. Positions are percentages of the width and height, from the top left.
 */
final class RateChart {

  /** A position on an axis and its label. */
  record Tick(String at, String label) {}

  private static final int CURVE_POINTS = 100;

  /** The size of the template's viewBox, in which the curve is drawn. */
  private static final double CURVE_UNITS = 1000;

  private static final int MOST_KEY_TICKS = 5;

  /** The chart shows this many powers of ten below the target. Lower rates do not matter. */
  private static final int DECADES_BELOW_TARGET = 4;

  /** From this exponent on, the whole axis can be read in percent. */
  private static final int LEAST_EXPONENT_FOR_PERCENT = -2;

  private static final double ROOM_BEYOND_CAPACITY = 1.25;
  private static final double ROOM_BEYOND_KEYS = 1.1;

  private final FilterInfo info;
  private final RateModel model;
  private final double lastKey;
  private final int lowest;
  private final int highest;
  private final Scale keys;
  private final Scale rates;

  RateChart(FilterInfo info, RateModel model) {
    this.info = info;
    this.model = model;
    lastKey = Math.max(ROOM_BEYOND_CAPACITY * info.fullAt(), ROOM_BEYOND_KEYS * info.keysSet());
    double largest =
        Math.max(info.falsePositiveRate(), Math.max(model.now(), model.expected((long) lastKey)));
    highest = Math.min(0, (int) Math.ceil(Math.log10(largest)));
    lowest = (int) Math.floor(Math.log10(info.falsePositiveRate())) - DECADES_BELOW_TARGET;
    keys = Scale.linear(0, lastKey);
    rates = Scale.logarithmic(Math.pow(10, lowest), Math.pow(10, highest));
  }

  List<Tick> keyTicks() {
    return Ticks.counts(lastKey, MOST_KEY_TICKS).stream()
        .map(tick -> new Tick(place(keys.position(tick)), Notation.compact(tick)))
        .toList();
  }

  List<Tick> rateTicks() {
    boolean inPercent = highest >= LEAST_EXPONENT_FOR_PERCENT;
    return Ticks.decades(lowest, highest).stream()
        .map(
            exponent ->
                new Tick(
                    y(Math.pow(10, exponent)),
                    inPercent ? percent(exponent) : Notation.power(exponent)))
        .toList();
  }

  private static String percent(int exponent) {
    return String.format(
        Locale.ROOT, "%." + Math.max(0, -exponent - 2) + "f\u00a0%%", 100 * Math.pow(10, exponent));
  }

  /**
   * Returns the curve. It begins with the newest generation, or at the point where it rises above
   * the axis.
   */
  String curve() {
    long first = firstAbove(Math.pow(10, lowest));
    List<String> points = new ArrayList<>();
    for (int i = 0; i <= CURVE_POINTS; i++) {
      long n = Math.round(first + (lastKey - first) * i / CURVE_POINTS);
      points.add(
          String.format(
              Locale.ROOT,
              "%.1f %.1f",
              CURVE_UNITS * across(n),
              CURVE_UNITS * (1 - rates.position(model.expected(n)))));
    }
    return "M" + String.join("L", points);
  }

  private long firstAbove(double rate) {
    long low = model.before();
    long high = (long) lastKey;
    while (low < high) {
      long middle = low + (high - low) / 2;
      if (model.expected(middle) >= rate) {
        high = middle;
      } else {
        low = middle + 1;
      }
    }
    return low;
  }

  String targetY() {
    return y(info.falsePositiveRate());
  }

  String warningX() {
    return x(info.nearlyFullAt());
  }

  /** Returns true if there is room for a word to the left of the warning. */
  boolean isWarningFar() {
    return across(info.nearlyFullAt()) > 0.1;
  }

  String capacityX() {
    return x(info.fullAt());
  }

  String todayX() {
    return x(info.keysSet());
  }

  String todayY() {
    return y(model.now());
  }

  /** Returns true if there is room for a word to the left of today's point, clear of the curve. */
  boolean isTodayFar() {
    return across(info.keysSet()) > 0.15;
  }

  boolean isGrown() {
    return model.before() > 0;
  }

  /** Returns the position up to which older generations hold the keys. */
  String olderX() {
    return x(model.before());
  }

  /** Returns true if there is room for a word on the keys of older generations. */
  boolean isOlderNamed() {
    return across(model.before()) > 0.35;
  }

  private String x(long number) {
    return place(across(number));
  }

  private double across(long number) {
    return keys.position((double) number);
  }

  private String y(double rate) {
    return place(1 - rates.position(rate));
  }

  private static String place(double position) {
    return String.format(Locale.ROOT, "%.2f%%", 100 * position);
  }
}
