package io.github.slotbloom.engine;

import java.util.Arrays;

/**
 * Which keys of a batch are new.
 *
 * @param fresh an answer for each key of the batch
 * @param newHashes the keys that are new, in their order
 */
@SuppressWarnings("ArrayRecordComponent") // handed on at once, never compared
record Decision(boolean[] fresh, long[] newHashes) {

  /**
   * Decides in order which keys are new: those that the filter lacked and that did not come up
   * before in this batch. Comparing hashes within the batch, rather than bits, leaves out the false
   * positives that the batch would have with itself.
   *
   * @param present which keys the filter holds
   */
  static Decision of(long[] hashes, boolean[] present) {
    boolean[] fresh = new boolean[hashes.length];
    long[] newHashes = new long[hashes.length];
    int n = 0;
    LongSet before = new LongSet(hashes.length);
    for (int i = 0; i < hashes.length; i++) {
      fresh[i] = !present[i] && before.add(hashes[i]);
      if (fresh[i]) {
        newHashes[n++] = hashes[i];
      }
    }
    return new Decision(fresh, Arrays.copyOf(newHashes, n));
  }
}
