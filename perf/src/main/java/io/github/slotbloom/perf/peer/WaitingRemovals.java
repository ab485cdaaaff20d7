package io.github.slotbloom.perf.peer;

import java.time.Duration;
import java.util.List;

/**
 * Emulates a filter of ours whose {@code remove} waits for a lease, so that a yes needs no read. A
 * removal commits what it would there, an entry with one hash, and then its caller waits. What it
 * removed stays, so nobody may ask for that.
 */
public final class WaitingRemovals implements RemovableKeys {

  /** The default of our filters. */
  public static final Duration LEASE = Duration.ofSeconds(2);

  private final SlotbloomKeys keys;

  /**
   * @param keys a filter from which nothing can be removed
   */
  public WaitingRemovals(SlotbloomKeys keys) {
    this.keys = keys;
  }

  @Override
  public String name() {
    return "a removal waits (emulated)";
  }

  @Override
  public String durability() {
    return keys.durability();
  }

  @Override
  public double falsePositiveRate() {
    return keys.falsePositiveRate();
  }

  @Override
  public void settle() {
    keys.settle();
  }

  @Override
  public RemovingCaller caller() {
    return new WaitingCaller(keys.caller());
  }

  @Override
  public void close() {
    keys.close();
  }

  private record WaitingCaller(RemovingCaller caller) implements RemovingCaller {

    @Override
    public boolean add(String key) throws Exception {
      return caller.add(key);
    }

    @Override
    public long addEach(List<String> keys) throws Exception {
      return caller.addEach(keys);
    }

    @Override
    public boolean mightContain(String key) throws Exception {
      return caller.mightContain(key);
    }

    @Override
    public long seen(List<String> keys) throws Exception {
      return caller.seen(keys);
    }

    @Override
    public boolean remove(String key) throws Exception {
      boolean appended = caller.add("removed " + key);
      Thread.sleep(LEASE.toMillis());
      return appended;
    }

    @Override
    public void close() throws Exception {
      caller.close();
    }
  }
}
