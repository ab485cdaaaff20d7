package io.github.slotbloom.cli;

import java.util.Locale;

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

  static boolean coloursOnOutput() {
    return isOutput() && coloursWanted();
  }

  static boolean coloursOnError() {
    return isError() && coloursWanted();
  }

  /** Whether the caller's locale says that text is UTF-8. Java is run with another one. */
  static boolean takesUtf8() {
    String locale = System.getProperty("slotbloom.locale", "");
    return locale.toUpperCase(Locale.ROOT).replace("-", "").contains("UTF8");
  }

  /** See https://no-color.org: any value but an empty one means none. */
  private static boolean coloursWanted() {
    Environment environment = Environment.ofProcess();
    return environment.get("NO_COLOR") == null && !"dumb".equals(environment.get("TERM"));
  }

  private static boolean isTerminal(int descriptor) {
    return System.getProperty("slotbloom.terminals", "").contains(Integer.toString(descriptor));
  }
}
