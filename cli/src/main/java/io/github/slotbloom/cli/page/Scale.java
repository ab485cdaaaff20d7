package io.github.slotbloom.cli.page;

/** Where values lie between the ends of an axis: 0 at its beginning, 1 at its end. */
interface Scale {

  /** {@return from 0 to 1; what is beyond an end lies at that end} */
  double position(double value);

  static Scale linear(double from, double to) {
    return value -> within((value - from) / (to - from));
  }

  /** Of numbers above 0; what is not lies at the beginning. */
  static Scale logarithmic(double from, double to) {
    Scale exponents = linear(Math.log10(from), Math.log10(to));
    return value -> value <= 0 ? 0 : exponents.position(Math.log10(value));
  }

  private static double within(double position) {
    return Math.max(0, Math.min(1, position));
  }
}
