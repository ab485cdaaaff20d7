package io.github.slotbloom.testing;

import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.jspecify.annotations.Nullable;
import org.slf4j.event.Level;

/**
 * Keeps the warnings and errors that are logged while a test class runs. Tests run one at a time in
 * a JVM, so events from the background belong to the running test. Thread-safe.
 */
final class LogCapture {

  private static final Queue<LoggedEvent> events = new ConcurrentLinkedQueue<>();
  private static volatile @Nullable String running;

  private LogCapture() {}

  /** Keeps all events that are logged from now on. */
  static void during(String test) {
    running = test;
  }

  /** Prints all events that are logged from now on. */
  static void stop() {
    running = null;
  }

  /** Keeps an event. Returns false if capturing is off. */
  static boolean keep(Level level, String logger, String message, @Nullable Throwable thrown) {
    String test = running;
    if (test == null) {
      return false;
    }
    String text = level + " " + logger.substring(logger.lastIndexOf('.') + 1) + " - " + message;
    events.add(new LoggedEvent(text, Thread.currentThread().getName(), test, thrown));
    return true;
  }

  /** Returns the kept events and removes them. */
  static List<LoggedEvent> take() {
    List<LoggedEvent> taken = new ArrayList<>();
    for (LoggedEvent event = events.poll(); event != null; event = events.poll()) {
      taken.add(event);
    }
    return taken;
  }
}
