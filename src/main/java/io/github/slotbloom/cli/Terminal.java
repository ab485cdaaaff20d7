package io.github.slotbloom.cli;

/**
 * Which of the standard streams is a terminal. Java cannot tell them apart, so the launcher says
 * it.
 */
final class Terminal {

  private Terminal() {}

  static boolean isInput() {
    return isTerminal(0);
  }

  static boolean isOutput() {
    return isTerminal(1);
  }

  static boolean isError() {
    return isTerminal(2);
  }

  private static boolean isTerminal(int descriptor) {
    return System.getProperty("slotbloom.terminals", "").contains(Integer.toString(descriptor));
  }
}
