package io.github.slotbloom.perf.peer;

/** Makes a filter in memory a contestant. All callers share it, one at a time. */
public record MemoryKeys(String name, double falsePositiveRate, MemoryFilter filter)
    implements RemovableKeys {

  private static final String NOTHING_KEPT = "none: one process, in memory";

  @Override
  public String durability() {
    return NOTHING_KEPT;
  }

  @Override
  public RemovingCaller caller() {
    return new MemoryCaller(filter);
  }

  @Override
  public void close() {
    // The collector takes it.
  }

  private record MemoryCaller(MemoryFilter filter) implements RemovingCaller {

    @Override
    public boolean add(String key) {
      return filter.add(key);
    }

    @Override
    public boolean mightContain(String key) {
      return filter.mightContain(key);
    }

    @Override
    public boolean remove(String key) {
      return filter.remove(key);
    }

    @Override
    public void close() {
      // All callers share the filter.
    }
  }
}
