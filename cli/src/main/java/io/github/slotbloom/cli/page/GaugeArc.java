package io.github.slotbloom.cli.page;

import io.github.slotbloom.FilterOptions;
import java.util.Locale;

/**
 * A half circle that shows the used part of a capacity, from the left over the top to the right.
 * Its scale extends beyond the capacity if more than that is used.
 */
final class GaugeArc {

  /** In units of the template's viewBox. */
  private static final double CENTER_X = 160;

  private static final double CENTER_Y = 150;
  private static final double RADIUS = 120;

  /** Measured from the middle of the line. */
  private static final double MARK = 15;

  private static final double LABEL = 21;

  private static final double USUAL_END = 1.25;

  /** Beyond this, the names of the two marks would overlap. */
  private static final double LAST_END_WITH_ROOM = 2;

  private final double share;
  private final double end;

  /**
   * @param share the keys as a part of the capacity, 0 or more
   */
  GaugeArc(double share) {
    this.share = share;
    this.end = share <= USUAL_END ? USUAL_END : Ticks.roundedUp(share);
  }

  String track() {
    return arc(0, end);
  }

  boolean hasKeys() {
    return share > 0;
  }

  /** Returns the path of the used part of the capacity. */
  String filled() {
    return arc(0, Math.min(1, share));
  }

  boolean isOverfull() {
    return share > 1;
  }

  /** Returns the path of the part beyond the capacity. */
  String beyond() {
    return arc(1, share);
  }

  String warning() {
    return mark(FilterOptions.DEFAULT_WARN_AT);
  }

  boolean isWarningNamed() {
    return end <= LAST_END_WITH_ROOM;
  }

  String warningX() {
    return number(x(FilterOptions.DEFAULT_WARN_AT, RADIUS + LABEL));
  }

  String warningY() {
    return number(y(FilterOptions.DEFAULT_WARN_AT, RADIUS + LABEL));
  }

  String warningAnchor() {
    return anchor(FilterOptions.DEFAULT_WARN_AT);
  }

  String full() {
    return mark(1);
  }

  String fullX() {
    return number(x(1, RADIUS + LABEL));
  }

  String fullY() {
    return number(y(1, RADIUS + LABEL));
  }

  String fullAnchor() {
    return anchor(1);
  }

  /** Returns the label of the right end. */
  String endLabel() {
    return Notation.used(end);
  }

  /** Returns the text anchor that makes a name grow away from the circle. */
  private String anchor(double at) {
    return at < end / 2 ? "end" : "start";
  }

  private String arc(double from, double to) {
    // The arc is at most a half circle, so it is never the larger of two arcs.
    return "M"
        + point(from, RADIUS)
        + "A"
        + number(RADIUS)
        + " "
        + number(RADIUS)
        + " 0 0 1 "
        + point(to, RADIUS);
  }

  private String mark(double at) {
    return "M" + point(at, RADIUS - MARK) + "L" + point(at, RADIUS + MARK);
  }

  private String point(double at, double radius) {
    return number(x(at, radius)) + " " + number(y(at, radius));
  }

  private double x(double at, double radius) {
    return CENTER_X - radius * Math.cos(Math.PI * at / end);
  }

  private double y(double at, double radius) {
    return CENTER_Y - radius * Math.sin(Math.PI * at / end);
  }

  private static String number(double number) {
    return String.format(Locale.ROOT, "%.1f", number);
  }
}
