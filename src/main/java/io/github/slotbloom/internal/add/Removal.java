package io.github.slotbloom.internal.add;

import io.github.slotbloom.internal.bits.LongSet;
import io.github.slotbloom.internal.membership.Membership;
import io.github.slotbloom.internal.store.journal.HeldHashes;
import java.util.Arrays;
import java.util.BitSet;
import org.jspecify.annotations.Nullable;

/**
 * Says which keys of a batch are removed.
 *
 * @param out an answer for each key of the batch: true if its caller took it out
 * @param hashes the keys that get a REMOVE entry, in their order; with retained hashes these
 *     include false positives, which nobody took out
 * @param counted how many of them were counted as added, by their retained hashes
 * @param refused the callers whose keys would be too many
 */
@SuppressWarnings("ArrayRecordComponent") // the arrays are passed on at once, and never compared
record Removal(boolean[] out, long[] hashes, long counted, BitSet refused) {

  static final Removal NOTHING = new Removal(new boolean[0], new long[0], 0, new BitSet());

  /**
   * Decides in order which keys are removed: those that the filter holds and that did not occur
   * earlier in this batch.
   *
   * @param sizes how many of the keys each caller brought
   * @param held the keys that the filter holds by its bits
   * @param retained which of them it really holds; null if it does not retain hashes
   * @param room how many more keys may be removed; a caller whose keys do not all fit is refused as
   *     a whole
   */
  static Removal of(
      int[] sizes, long[] hashes, Membership held, @Nullable HeldHashes retained, long room) {
    boolean[] out = new boolean[hashes.length];
    long[] removed = new long[hashes.length];
    BitSet refused = new BitSet();
    LongSet before = new LongSet(hashes.length);
    int n = 0;
    long counted = 0;
    int from = 0;
    for (int caller = 0; caller < sizes.length; caller++) {
      int to = from + sizes[caller];
      int begin = n;
      long countedBefore = counted;
      for (int i = from; i < to; i++) {
        if (held.present()[i] && before.add(hashes[i])) {
          out[i] = retained == null || retained.held().contains(hashes[i]);
          counted += retained != null && retained.counted().contains(hashes[i]) ? 1 : 0;
          removed[n++] = hashes[i];
        }
      }
      if (n > begin && n > room) {
        while (n > begin) {
          before.removeNewest(removed[--n]);
        }
        counted = countedBefore;
        Arrays.fill(out, from, to, false);
        refused.set(caller);
      }
      from = to;
    }
    return new Removal(out, Arrays.copyOf(removed, n), counted, refused);
  }
}
