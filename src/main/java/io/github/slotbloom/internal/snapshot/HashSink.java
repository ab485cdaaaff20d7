package io.github.slotbloom.internal.snapshot;

import java.io.IOException;

/** Receives hashes of keys. */
public interface HashSink {

  /** Takes some more hashes. */
  void accept(long[] hashes) throws IOException;
}
