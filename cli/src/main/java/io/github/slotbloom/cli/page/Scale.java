package io.github.slotbloom.cli.page;

/** Maps values to positions on an axis: 0 at its beginning, 1 at its end. */
interface Scale {

  /** {@return the position from 0 to 1; a value beyond an end is at that end} */
  double position(double value);

  static Scale linear(double from, double to) {
    return value -> within((value - from) / (to - from));
  }

  /** Returns a logarithmic scale for numbers above 0. Other numbers are at the beginning. */
  static Scale logarithmic(double from, double to) {
    Scale exponents = linear(Math.log10(from), Math.log10(to));
    return value -> value <= 0 ? 0 : exponents.position(Math.log10(value));
  }

  private static double within(double position) {
    return Math.max(0, Math.min(1, position));
  }
}
