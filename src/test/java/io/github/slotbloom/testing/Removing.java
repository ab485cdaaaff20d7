package io.github.slotbloom.testing;

import io.github.slotbloom.BloomFilter;
import io.github.slotbloom.RemovableFilter;

/** Removes keys from filters that tests know as any filter. */
public final class Removing {

  private Removing() {}

  /** Returns a filter that was reserved so that keys can be removed. */
  public static <K> RemovableFilter<K> from(BloomFilter<K> filter) {
    return (RemovableFilter<K>) filter;
  }
}
