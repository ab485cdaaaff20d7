package io.github.slotbloom.internal.schema;

import io.github.slotbloom.internal.time.Moment;
import io.github.slotbloom.internal.time.TimeSource;
import java.sql.SQLTimeoutException;
import java.time.Duration;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Waits until no other process migrates, and says so. For one call; not thread-safe. */
final class LockWait {

  private static final Logger log = LoggerFactory.getLogger(LockWait.class);

  private final Duration timeout;
  private final TimeSource time;
  private final Consumer<Duration> waiting;
  private @Nullable Moment begun;
  private boolean told;

  /**
   * @param waiting is told once that there is a wait, and how long it may take
   */
  LockWait(Duration timeout, TimeSource time, Consumer<Duration> waiting) {
    this.timeout = timeout;
    this.time = time;
    this.waiting = waiting;
  }

  /**
   * Called before each request for the lock. If it was not released since the last one, that was in
   * vain.
   *
   * @throws SQLTimeoutException if the time is up
   */
  void asked() throws SQLTimeoutException {
    if (begun == null) {
      begun = time.now();
      return;
    }
    if (time.nanosSince(begun) >= timeout.toNanos()) {
      throw new SQLTimeoutException(
          "another session held the Flyway lock for " + timeout.toSeconds() + " s");
    }
    if (!told) {
      told = true;
      log.info("waits up to {} s for another process that is migrating", timeout.toSeconds());
      waiting.accept(timeout);
    }
  }

  /** Called when the lock is released. Flyway takes it for each migration. */
  void released() {
    begun = null;
  }
}
