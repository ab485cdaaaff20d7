package io.github.slotbloom.internal.context;

import io.github.slotbloom.core.FilterName;
import io.github.slotbloom.internal.background.Background;
import io.github.slotbloom.internal.store.session.Database;
import io.github.slotbloom.internal.store.session.Transactions;
import io.github.slotbloom.internal.store.session.Tx;
import io.github.slotbloom.internal.time.Deadline;
import io.github.slotbloom.internal.time.TimeSource;
import java.util.function.Function;

/** Runs the short transactions of long work, and tries each of them for a while. Thread-safe. */
public final class RetriedTransactions implements Transactions {

  private final Database database;
  private final Background io;
  private final TimeSource time;
  private final Waiting waiting;

  public RetriedTransactions(FilterName filter, Database database, Background io, TimeSource time) {
    this.database = database;
    this.io = io;
    this.time = time;
    this.waiting = new Waiting(filter);
  }

  /**
   * Runs work that may be repeated.
   *
   * @throws io.github.slotbloom.error.FilterUnavailableException if it does not succeed in time
   * @throws io.github.slotbloom.error.SchemaException if a table is missing
   */
  @Override
  public <T> T ask(Function<Tx, T> work) {
    return waiting.forOutcome(
        () -> io.supply(() -> database.transact(work)), Deadline.in(time, Waiting.STEP_TIMEOUT));
  }
}
