package io.github.slotbloom.perf.peer;

import java.util.List;

/** One thread's access to a set of keys that can be removed. */
public interface RemovingCaller extends Caller {

  /** {@return true if the key was there as far as the set can tell, and is removed} */
  boolean remove(String key) throws Exception;

  /**
   * {@return how many of the keys were removed} One after the other, unless there is a faster way
   * for many keys at once.
   */
  default long removeEach(List<String> keys) throws Exception {
    long removed = 0;
    for (String key : keys) {
      removed += remove(key) ? 1 : 0;
    }
    return removed;
  }
}
