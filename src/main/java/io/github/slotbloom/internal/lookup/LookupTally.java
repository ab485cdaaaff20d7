package io.github.slotbloom.internal.lookup;

import io.github.slotbloom.report.LookupStatistics;
import java.util.concurrent.atomic.LongAdder;

/** Counts what becomes of keys that are looked up. Thread-safe. */
public final class LookupTally {

  private final LongAdder asked = new LongAdder();
  private final LongAdder keptAway = new LongAdder();
  private final LongAdder cacheHits = new LongAdder();
  private final LongAdder nullCacheHits = new LongAdder();
  private final LongAdder shared = new LongAdder();
  private final LongAdder lookups = new LongAdder();
  private final LongAdder found = new LongAdder();
  private final LongAdder falsePositives = new LongAdder();

  /**
   * Takes in the answers of the filter to one call.
   *
   * @param keys the keys of the call
   * @param maybe those that the filter took for members
   */
  public void asked(int keys, int maybe) {
    asked.add(keys);
    keptAway.add(keys - maybe);
  }

  /** Takes in that a cache knew whether the key is there. */
  void cached(boolean present) {
    (present ? cacheHits : nullCacheHits).increment();
  }

  /** Takes in that another call looks the key up already. */
  void joined() {
    shared.increment();
  }

  public void lookedUp(int keys) {
    lookups.add(keys);
  }

  /**
   * Takes in the result of a lookup.
   *
   * @param keysFound the keys that were found
   * @param keysMissing the keys that were not
   */
  public void ended(int keysFound, int keysMissing) {
    found.add(keysFound);
    falsePositives.add(keysMissing);
  }

  public LookupStatistics statistics() {
    return new LookupStatistics(
        asked.sum(),
        keptAway.sum(),
        cacheHits.sum(),
        nullCacheHits.sum(),
        shared.sum(),
        lookups.sum(),
        found.sum(),
        falsePositives.sum());
  }
}
