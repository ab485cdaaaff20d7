package io.github.slotbloom.internal.engine;

import io.github.slotbloom.internal.store.filter.FilterRecord;
import java.util.function.BooleanSupplier;

/**
 * Rebuilds filters. It connects the engine, which knows when, with the code that replaces
 * generations. Thread-safe.
 */
public interface Rebuilder {

  /**
   * Replaces the generations of a filter by one of the same capacity, from the filter's own hashes.
   * Goes on with a replacement that another process left.
   *
   * @param stopped asked now and then; once it says true, the work ends with a {@link
   *     java.util.concurrent.CancellationException}, and another process may continue it
   * @return false if another process does it now, or if only imports have written to the filter,
   *     which then waits for its next delta
   * @throws io.github.slotbloom.error.SlotBloomException if it could not be done
   */
  boolean rebuild(FilterRecord filter, BooleanSupplier stopped);
}
