package io.github.slotbloom.cli.terminal;

import io.github.slotbloom.cli.Environment;
import java.util.Locale;

/**
 * Tells which standard streams are terminals. Java cannot tell them apart, so the launcher passes
 * this on.
 *
 * @param descriptors the digits of the streams that are terminals
 * @param locale the locale of the caller's terminal; Java runs with another one
 */
public record Terminal(String descriptors, String locale, Environment environment) {

  public static Terminal ofProcess(Environment environment) {
    return new Terminal(
        System.getProperty("slotbloom.terminals", ""),
        System.getProperty("slotbloom.locale", ""),
        environment);
  }

  public boolean isInput() {
    return isTerminal(0);
  }

  public boolean isOutput() {
    return isTerminal(1);
  }

  public boolean isError() {
    return isTerminal(2);
  }

  public boolean colorsOnOutput() {
    return isOutput() && colorsWanted();
  }

  boolean colorsOnError() {
    return isError() && colorsWanted();
  }

  /** Returns true if the caller's locale uses UTF-8. */
  public boolean takesUtf8() {
    return locale.toUpperCase(Locale.ROOT).replace("-", "").contains("UTF8");
  }

  /** Follows https://no-color.org: any value but an empty one disables colors. */
  private boolean colorsWanted() {
    return environment.get("NO_COLOR") == null && !"dumb".equals(environment.get("TERM"));
  }

  private boolean isTerminal(int descriptor) {
    return descriptors.contains(Integer.toString(descriptor));
  }
}
