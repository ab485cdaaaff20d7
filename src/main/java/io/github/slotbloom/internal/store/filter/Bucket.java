package io.github.slotbloom.internal.store.filter;

/**
 * The bucket of a window that a generation belongs to.
 *
 * @param number the last bucket in which the generation takes keys
 * @param window the number of buckets after that one in which it still answers
 */
public record Bucket(long number, int window) {

  /** Returns true if the keys of this bucket have not expired in another, later one. */
  public boolean answersIn(long later) {
    return number + window >= later;
  }
}
