package io.github.slotbloom.perf.peer;

import java.util.List;

/** One thread's way into a set of seen keys. */
public interface Caller extends AutoCloseable {

  /** {@return whether the key was new} */
  boolean add(String key) throws Exception;

  /** {@return how many of the keys were new} The best that there is for many at once. */
  long addEach(List<String> keys) throws Exception;

  boolean mightContain(String key) throws Exception;

  /** {@return how many of the keys were seen} */
  long seen(List<String> keys) throws Exception;

  @Override
  void close() throws Exception;
}
