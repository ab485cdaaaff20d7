package io.github.slotbloom.perf.peer;

import io.github.slotbloom.BloomFilter;
import io.github.slotbloom.RemovableFilter;
import java.util.List;

/** A caller of one of our filters, which all callers share. */
record FilterCaller(BloomFilter<String> filter) implements RemovingCaller {

  @Override
  public boolean add(String key) {
    return filter.add(key);
  }

  @Override
  public long addEach(List<String> keys) {
    return count(filter.addEach(keys));
  }

  @Override
  public boolean mightContain(String key) {
    return filter.mightContain(key);
  }

  @Override
  public long seen(List<String> keys) {
    return count(filter.mightContainEach(keys));
  }

  @Override
  public boolean remove(String key) {
    return removable().remove(key);
  }

  @Override
  public long removeEach(List<String> keys) {
    return count(removable().removeEach(keys));
  }

  /** Only cases whose filters were reserved so remove keys. */
  private RemovableFilter<String> removable() {
    return (RemovableFilter<String>) filter;
  }

  private static long count(boolean[] answers) {
    long yes = 0;
    for (boolean answer : answers) {
      yes += answer ? 1 : 0;
    }
    return yes;
  }

  @Override
  public void close() {
    // All callers share the filter.
  }
}
