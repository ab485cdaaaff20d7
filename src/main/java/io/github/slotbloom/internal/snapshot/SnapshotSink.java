package io.github.slotbloom.internal.snapshot;

import java.io.IOException;

/**
 * Receives the contents of a filter: its removed hashes, then the slots of its generations, then
 * the retained hashes.
 */
public interface SnapshotSink extends SlotSink {

  /**
   * Takes hashes that are removed.
   *
   * @param hashes at least one; ascending, and greater than those before
   */
  void removed(long[] hashes) throws IOException;

  /**
   * Takes retained hashes, in any order.
   *
   * @param hashes some may come again
   */
  void hashes(long[] hashes) throws IOException;
}
