package io.github.slotbloom.perf.peer;

import java.util.List;

/** One thread's access to a set of seen keys. */
public interface Caller extends AutoCloseable {

  /** {@return true if the key was new} */
  boolean add(String key) throws Exception;

  /**
   * {@return how many of the keys were new} One after the other, unless there is a faster way for
   * many keys at once.
   */
  default long addEach(List<String> keys) throws Exception {
    return count(keys, this::add);
  }

  boolean mightContain(String key) throws Exception;

  /** {@return how many of the keys were seen} */
  default long seen(List<String> keys) throws Exception {
    return count(keys, this::mightContain);
  }

  @Override
  void close() throws Exception;

  /** A call with one key. */
  interface Call {
    boolean of(String key) throws Exception;
  }

  private static long count(List<String> keys, Call call) throws Exception {
    long yes = 0;
    for (String key : keys) {
      yes += call.of(key) ? 1 : 0;
    }
    return yes;
  }
}
