package io.github.slotbloom.internal.snapshot;

import java.io.IOException;

/** Receives the slots of the generations of a filter. */
public interface SlotSink {

  /**
   * Takes a slot that has a row.
   *
   * @param place the place of its generation, from 0 for the oldest on; never lower than before
   * @param slot its number, greater than the one before in the same generation
   * @param bits its bits; may be 0
   */
  void slot(int place, long slot, long bits) throws IOException;
}
