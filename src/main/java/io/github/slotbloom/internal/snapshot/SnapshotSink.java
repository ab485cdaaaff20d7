package io.github.slotbloom.internal.snapshot;

import java.io.IOException;

/** Takes what a filter holds: the slots of its generations, then the hashes that it retains. */
public interface SnapshotSink {

  /**
   * Takes a slot that has a row.
   *
   * @param place of its generation, from 0 for the oldest on; never lower than before
   * @param slot its number, greater than the one before in the same generation
   * @param bits its bits, which may be none
   */
  void slot(int place, long slot, long bits) throws IOException;

  /**
   * Takes hashes, in any order.
   *
   * @param hashes some may come again
   */
  void hashes(long[] hashes) throws IOException;
}
