package io.github.slotbloom.engine;

import java.util.Arrays;
import java.util.BitSet;

/**
 * Which keys of a batch are new.
 *
 * @param fresh an answer for each key of the batch; false for all keys of a caller who is refused
 * @param newHashes the keys that are new and not refused, in their order
 * @param refused the callers whose new keys there is no room for
 */
@SuppressWarnings("ArrayRecordComponent") // handed on at once, never compared
record Decision(boolean[] fresh, long[] newHashes, BitSet refused) {

  static final Decision NONE = new Decision(new boolean[0], new long[0], new BitSet());

  /**
   * Decides in order which keys are new: those that the filter lacked and that did not come up
   * before in this batch. Comparing hashes within the batch, rather than bits, leaves out the false
   * positives that the batch would have with itself.
   *
   * @param sizes how many of the keys each caller brought
   * @param present which keys the filter holds
   * @param room how many new keys the filter has room for; a caller whose new keys do not all fit
   *     is refused as a whole
   */
  static Decision of(int[] sizes, long[] hashes, boolean[] present, long room) {
    boolean[] fresh = new boolean[hashes.length];
    long[] newHashes = new long[hashes.length];
    BitSet refused = new BitSet();
    LongSet before = new LongSet(hashes.length);
    int n = 0;
    int from = 0;
    for (int caller = 0; caller < sizes.length; caller++) {
      int to = from + sizes[caller];
      int begin = n;
      for (int i = from; i < to; i++) {
        fresh[i] = !present[i] && before.add(hashes[i]);
        if (fresh[i]) {
          newHashes[n++] = hashes[i];
        }
      }
      if (n > begin && n > room) {
        while (n > begin) {
          before.removeNewest(newHashes[--n]);
        }
        Arrays.fill(fresh, from, to, false);
        refused.set(caller);
      }
      from = to;
    }
    return new Decision(fresh, Arrays.copyOf(newHashes, n), refused);
  }
}
