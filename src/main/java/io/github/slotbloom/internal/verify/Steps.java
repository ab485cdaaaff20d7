package io.github.slotbloom.internal.verify;

import io.github.slotbloom.internal.engine.Deadline;
import io.github.slotbloom.internal.engine.FilterContext;
import io.github.slotbloom.internal.engine.Waiting;
import io.github.slotbloom.internal.store.Tx;
import java.time.Duration;
import java.util.function.Function;

/** Short transactions of something long, each of which is tried again for a while. Thread-safe. */
final class Steps {

  private final FilterContext context;
  private final Duration timeout;
  private final Waiting waiting;

  /**
   * @param timeout how long one transaction may be tried
   */
  Steps(FilterContext context, Duration timeout) {
    this.context = context;
    this.timeout = timeout;
    this.waiting = new Waiting(context.name());
  }

  /**
   * Runs work that may be repeated.
   *
   * @throws io.github.slotbloom.error.FilterUnavailableException if it does not succeed in time
   * @throws io.github.slotbloom.error.SchemaException if a table is missing
   */
  <T> T attempt(Function<Tx, T> work) {
    return waiting.forOutcome(
        () -> context.io().supply(() -> context.database().transact(work)),
        Deadline.in(context.time(), timeout));
  }

  Duration timeout() {
    return timeout;
  }
}
