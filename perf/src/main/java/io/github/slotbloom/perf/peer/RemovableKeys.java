package io.github.slotbloom.perf.peer;

/** A set of seen keys that can forget some of them. */
public interface RemovableKeys extends SeenKeys {

  @Override
  RemovingCaller caller() throws Exception;
}
