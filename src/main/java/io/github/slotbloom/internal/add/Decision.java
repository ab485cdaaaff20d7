package io.github.slotbloom.internal.add;

import io.github.slotbloom.internal.ask.Membership;
import io.github.slotbloom.internal.bits.LongSet;
import java.util.Arrays;
import java.util.BitSet;
import java.util.function.IntPredicate;

/**
 * Which keys of a batch are new.
 *
 * @param fresh an answer for each key of the batch; false for all keys of a caller who is refused
 * @param newHashes the keys that are new and not refused, in their order
 * @param fillHashes the keys that are neither new nor refused, but which the generation that is
 *     being filled lacks: what seems to be in the filter by a false positive would not be in what
 *     replaces it
 * @param seenHashes the other keys that are neither new nor refused, but whose hashes have to be in
 *     the journal and are not known to be
 * @param refused the callers whose new keys there is no room for
 */
@SuppressWarnings("ArrayRecordComponent") // handed on at once, never compared
record Decision(
    boolean[] fresh, long[] newHashes, long[] fillHashes, long[] seenHashes, BitSet refused) {

  private static final long[] NO_HASHES = {};

  /**
   * Decides in order which keys are new: those that the filter lacked and that did not come up
   * before in this batch. Comparing hashes within the batch, rather than bits, leaves out the false
   * positives that the batch would have with itself.
   *
   * @param sizes how many of the keys each caller brought
   * @param held which keys the filter holds
   * @param room how many new keys the filter has room for; a caller whose new keys do not all fit
   *     is refused as a whole
   */
  static Decision of(int[] sizes, long[] hashes, Membership held, long room) {
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
        fresh[i] = !held.present()[i] && before.add(hashes[i]);
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
    return new Decision(
        fresh,
        Arrays.copyOf(newHashes, n),
        seen(sizes, hashes, refused, i -> held.present()[i] && held.isLacking(i)),
        seen(
            sizes,
            hashes,
            refused,
            i -> held.present()[i] && !held.isLacking(i) && held.isUnrecorded(i)),
        refused);
  }

  /** Those of the keys that were not refused, each once. */
  private static long[] seen(int[] sizes, long[] hashes, BitSet refused, IntPredicate wanted) {
    long[] seen = NO_HASHES;
    LongSet before = null;
    int n = 0;
    int from = 0;
    for (int caller = 0; caller < sizes.length; caller++) {
      int to = from + sizes[caller];
      for (int i = from; i < to && !refused.get(caller); i++) {
        if (wanted.test(i)) {
          if (before == null) {
            before = new LongSet(hashes.length);
            seen = new long[hashes.length];
          }
          if (before.add(hashes[i])) {
            seen[n++] = hashes[i];
          }
        }
      }
      from = to;
    }
    return Arrays.copyOf(seen, n);
  }
}
