package io.github.slotbloom.internal.snapshot;

import java.io.IOException;

/** Receives the contents of a filter: the slots of its generations, then the retained hashes. */
public interface SnapshotSink {

  /**
   * Takes a slot that has a row.
   *
   * @param place the place of its generation, from 0 for the oldest on; never lower than before
   * @param slot its number, greater than the one before in the same generation
   * @param bits its bits; may be 0
   */
  void slot(int place, long slot, long bits) throws IOException;

  /**
   * Takes hashes, in any order.
   *
   * @param hashes some may come again
   */
  void hashes(long[] hashes) throws IOException;
}
