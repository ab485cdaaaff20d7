package io.github.slotbloom.perf.peer;

import java.util.List;

/** One thread's access to a set of seen keys. */
public interface Caller extends AutoCloseable {

  /** {@return true if the key was new} */
  boolean add(String key) throws Exception;

  /** {@return how many of the keys were new} Uses the fastest way for many keys at once. */
  long addEach(List<String> keys) throws Exception;

  boolean mightContain(String key) throws Exception;

  /** {@return how many of the keys were seen} */
  long seen(List<String> keys) throws Exception;

  @Override
  void close() throws Exception;
}
