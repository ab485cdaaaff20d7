package io.github.slotbloom.cli.page;

import io.github.slotbloom.FilterInfo;
import io.github.slotbloom.FilterOptions;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * The error rate against the number of keys. The rate goes through many powers of ten while a
 * filter fills up, so its axis is logarithmic: on a linear one nothing would be seen before the
 * filter is nearly full. Places are per cent of the width and of the height, from the top left.
 */
final class RateChart {

  /** A place on an axis, and what it is called. */
  record Tick(String at, String label) {}

  private static final int CURVE_POINTS = 100;

  /** Units of the template's viewBox, in which the curve is drawn. */
  private static final double CURVE_UNITS = 1000;

  private static final int MOST_KEY_TICKS = 5;

  /** Beneath the target, a rate is of no concern. */
  private static final int DECADES_BELOW_TARGET = 4;

  /** From so large a rate on all of the axis can be read in per cent. */
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
    lastKey = Math.max(ROOM_BEYOND_CAPACITY * info.capacity(), ROOM_BEYOND_KEYS * info.keysAdded());
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

  /** From where the newest generation begins, or where the curve comes up to the axis. */
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
    return place(keys.position(FilterOptions.DEFAULT_WARN_AT * info.capacity()));
  }

  /** Whether there is room for a word to the left of it. */
  boolean isWarningFar() {
    return across((long) (FilterOptions.DEFAULT_WARN_AT * info.capacity())) > 0.1;
  }

  String capacityX() {
    return x(info.capacity());
  }

  String todayX() {
    return x(info.keysAdded());
  }

  String todayY() {
    return y(model.now());
  }

  /** Whether there is room for a word to the left of today's point, where no curve is. */
  boolean isTodayFar() {
    return across(info.keysAdded()) > 0.15;
  }

  boolean isGrown() {
    return model.before() > 0;
  }

  /** How far the keys reach that older generations hold. */
  String olderX() {
    return x(model.before());
  }

  /** Whether there is room for a word on what older generations hold. */
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
