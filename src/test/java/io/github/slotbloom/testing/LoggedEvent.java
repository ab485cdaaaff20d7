package io.github.slotbloom.testing;

import org.jspecify.annotations.Nullable;

/**
 * A warning or an error that was logged.
 *
 * @param text its level, the short name of its logger and its message
 * @param thread that logged it
 * @param during the name of the test, or of the class between its tests
 * @param thrown what was logged with it
 */
record LoggedEvent(String text, String thread, String during, @Nullable Throwable thrown) {

  @Override
  public String toString() {
    return text + " [thread " + thread + ", during " + during + "]";
  }
}
