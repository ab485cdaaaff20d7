package io.github.slotbloom.testing;

import org.jspecify.annotations.Nullable;

/**
 * A warning or an error that was logged.
 *
 * @param text the level, the short name of the logger, and the message
 * @param thread the thread that logged the event
 * @param during the name of the test, or of the class between its tests
 * @param thrown the exception that was logged, if any
 */
record LoggedEvent(String text, String thread, String during, @Nullable Throwable thrown) {

  @Override
  public String toString() {
    return text + " [thread " + thread + ", during " + during + "]";
  }
}
