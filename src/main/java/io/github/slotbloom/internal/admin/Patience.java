package io.github.slotbloom.internal.admin;

import io.github.slotbloom.error.FilterUnavailableException;
import io.github.slotbloom.internal.failure.Retry;
import io.github.slotbloom.internal.store.Tx;
import java.time.Duration;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * Tries again for a while what the database could not do. A replacement may take hours, in which a
 * server is started again, and others may hold the lock of the filter for longer than a statement
 * waits for it. Thread-safe.
 */
final class Patience {

  static final Duration LENGTH = Retry.PATIENT;

  private final FilterDirectory directory;

  Patience(FilterDirectory directory) {
    this.directory = directory;
  }

  /** Runs work in a transaction as {@link FilterDirectory#ask} does. */
  <T> T ask(Function<Tx, T> work) {
    return with(() -> directory.ask(work));
  }

  /**
   * Runs work that may be repeated.
   *
   * @throws FilterUnavailableException if it does not succeed in time
   */
  <T> T with(Supplier<T> work) {
    return Retry.patiently(e -> e instanceof FilterUnavailableException, work);
  }
}
