package io.github.slotbloom.resp.filter;

import io.github.slotbloom.BloomFilter;
import io.github.slotbloom.FilterStatus;

/** A filter that this server has open. */
final class OpenFilter {

  private final BloomFilter<byte[]> filter;
  private final FilterStatus status;
  private volatile long used;

  /**
   * Takes in an open filter.
   *
   * @param status what it was like when it was opened
   */
  OpenFilter(BloomFilter<byte[]> filter, FilterStatus status) {
    this.filter = filter;
    this.status = status;
  }

  BloomFilter<byte[]> filter() {
    return filter;
  }

  FilterStatus status() {
    return status;
  }

  /** Takes in that it is used now. */
  OpenFilter used(long nanoTime) {
    used = nanoTime;
    return this;
  }

  /** Returns for how long nobody used it. */
  long idleNanos(long nanoTime) {
    return nanoTime - used;
  }
}
