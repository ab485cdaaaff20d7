package io.github.slotbloom.reliability;

import io.github.slotbloom.PrimaryDataSource;
import java.util.List;
import java.util.function.Supplier;

/**
 * Processes that add keys and ask for them, remove them, and add them beside rows, all at the same
 * time. They go on until they are checked.
 */
final class CallsOfAllKinds implements AutoCloseable {

  private final SharedFilter filter;
  private final SharedFilter removable;
  private final SharedFilter besideRows;
  private final ContestedKeys keys;
  private final ContestedRemovals removals;
  private final RowsBesideKeys rows;

  /**
   * Starts the calls.
   *
   * @param processes what each process connects to, chosen again for each filter
   */
  CallsOfAllKinds(Supplier<List<PrimaryDataSource>> processes) throws Exception {
    filter = new SharedFilter(processes.get(), SharedFilter.exact().build());
    removable = new SharedFilter(processes.get(), ContestedRemovals.spec());
    besideRows = new SharedFilter(processes.get(), SharedFilter.exact().build());
    keys = filter.contest();
    removals = new ContestedRemovals(removable.filters());
    rows = new RowsBesideKeys(besideRows);
  }

  /** Waits until so many more calls of each kind have returned. */
  void awaitProgress(int calls) {
    keys.awaitProgress(calls);
    removals.awaitProgress(calls);
    rows.awaitProgress(calls);
  }

  /** Stops the calls, and checks what was promised. */
  void check() throws Exception {
    stop();
    keys.check(filter.bloom(0));
    removals.check(removable.bloom(0));
    rows.check();
  }

  private void stop() {
    keys.stop();
    removals.stop();
    rows.stop();
  }

  @Override
  public void close() {
    stop();
    filter.close();
    removable.close();
    besideRows.close();
  }
}
