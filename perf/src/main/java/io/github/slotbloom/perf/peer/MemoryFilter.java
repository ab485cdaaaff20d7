package io.github.slotbloom.perf.peer;

/** A filter in the heap of one process, for one thread at a time. Nothing of it is kept. */
public interface MemoryFilter {

  /** {@return true if the key was new} A filter that cannot tell returns true. */
  boolean add(String key);

  boolean mightContain(String key);

  /** {@return true if the key was there as far as the filter can tell, and is removed} */
  boolean remove(String key);
}
