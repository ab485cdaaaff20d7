package io.github.slotbloom.internal.context;

import io.github.slotbloom.internal.store.session.Tx;
import io.github.slotbloom.internal.time.Deadline;
import java.time.Duration;
import java.util.function.Consumer;
import java.util.function.Function;

/** Runs the short transactions of long work, and tries each of them for a while. Thread-safe. */
public final class RetriedTransactions {

  private final FilterContext context;
  private final Duration timeout;
  private final Waiting waiting;

  /**
   * @param timeout how long one transaction may be tried
   */
  public RetriedTransactions(FilterContext context, Duration timeout) {
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
  public <T> T attempt(Function<Tx, T> work) {
    return waiting.forOutcome(
        () -> context.io().supply(() -> context.database().transact(work)),
        Deadline.in(context.time(), timeout));
  }

  /** Does the same as {@link #attempt}, with work that returns nothing. */
  public void run(Consumer<Tx> work) {
    attempt(
        tx -> {
          work.accept(tx);
          return true;
        });
  }

  public Duration timeout() {
    return timeout;
  }
}
