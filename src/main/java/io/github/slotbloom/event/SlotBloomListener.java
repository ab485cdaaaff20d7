package io.github.slotbloom.event;

import java.time.Duration;

/**
 * Hears what happens inside. Every method does nothing by default. Calls come from the library's
 * own threads, so a method must return quickly and be thread-safe; what it throws is logged and
 * otherwise ignored.
 */
public interface SlotBloomListener {

  /** A listener that does nothing. */
  SlotBloomListener NONE = new SlotBloomListener() {};

  /**
   * The filter holds as many keys as it was made for, so its error rate begins to rise above the
   * target. Told once for each opening of the filter.
   */
  default void capacityReached(String filter, long keysAdded, long capacity) {}

  /**
   * What others wrote has not been heard of for longer than twice the lease. Told once until a poll
   * succeeds again.
   */
  default void lagging(String filter, Duration age) {}

  /** A transaction failed in a way that allows to play it again. {@code attempt} counts from 1. */
  default void retrying(String filter, int attempt, Exception reason) {}

  /** The mirror in memory was thrown away and is loaded anew. */
  default void reloading(String filter, String reason) {}

  /** The server's settings allow a crash of the server to lose what was acknowledged. */
  default void weakDurability(String finding) {}
}
