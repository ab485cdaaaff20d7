package io.github.slotbloom.testing;

import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.jspecify.annotations.Nullable;
import org.slf4j.event.Level;

/**
 * Keeps the warnings and errors that are logged while a test class runs. Tests run one at a time in
 * a JVM, so what is logged in the background belongs to the test that runs. Thread-safe.
 */
final class LogCapture {

  private static final Queue<LoggedEvent> events = new ConcurrentLinkedQueue<>();
  private static volatile @Nullable String running;

  private LogCapture() {}

  /** What is logged from now on is kept. */
  static void during(String test) {
    running = test;
  }

  /** What is logged from now on is printed. */
  static void stop() {
    running = null;
  }

  /** Returns false if nobody asked for it. */
  static boolean keep(Level level, String logger, String message, @Nullable Throwable thrown) {
    String test = running;
    if (test == null) {
      return false;
    }
    String text = level + " " + logger.substring(logger.lastIndexOf('.') + 1) + " - " + message;
    events.add(new LoggedEvent(text, Thread.currentThread().getName(), test, thrown));
    return true;
  }

  /** Takes out what was kept. */
  static List<LoggedEvent> take() {
    List<LoggedEvent> taken = new ArrayList<>();
    for (LoggedEvent event = events.poll(); event != null; event = events.poll()) {
      taken.add(event);
    }
    return taken;
  }
}
