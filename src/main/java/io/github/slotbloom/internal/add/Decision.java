package io.github.slotbloom.internal.add;

import io.github.slotbloom.Offered;
import io.github.slotbloom.internal.bits.Hashes;
import io.github.slotbloom.internal.bits.LongSet;
import io.github.slotbloom.internal.membership.Membership;
import java.util.Arrays;
import java.util.BitSet;
import java.util.function.IntPredicate;

/**
 * Says which keys of a batch are new, and which are removed.
 *
 * @param fresh an answer for each key of the batch; false for all keys of a caller who is refused
 * @param newHashes the keys that are new and not refused, in their order, without those that were
 *     removed before
 * @param returningHashes the keys that are new and not refused, were removed before, and still have
 *     their bits in an active generation
 * @param anewHashes the keys that are new and not refused, were removed before, and have no bits in
 *     an active generation, since they were removed while it was filled; in a window all that were
 *     removed before
 * @param fillHashes the keys that are neither new nor refused, but that the generation being filled
 *     lacks: a key that only seems to be in the filter by a false positive would be missing from
 *     the replacement
 * @param seenHashes the other keys that are neither new nor refused, but whose hashes must be in
 *     the journal and are not known to be there
 * @param renewHashes the keys that are neither new nor refused, but that only older buckets hold,
 *     where adding a key again extends its lifetime
 * @param expired for each key, true if it came up so long ago that it cannot be told whether it is
 *     new
 * @param refused the callers whose new keys do not fit
 */
@SuppressWarnings("ArrayRecordComponent") // the arrays are passed on at once, and never compared
record Decision(
    boolean[] fresh,
    long[] newHashes,
    long[] returningHashes,
    long[] anewHashes,
    long[] fillHashes,
    long[] seenHashes,
    long[] renewHashes,
    boolean[] expired,
    BitSet refused) {

  private static final long[] NO_HASHES = {};

  /**
   * Decides in order which keys are new: those that the filter lacks and that did not occur earlier
   * in this batch. Keys within the batch are compared by hash, not by bits, so the batch has no
   * false positives with itself.
   *
   * @param sizes how many of the keys each caller brought
   * @param held the keys that the filter holds
   * @param room how many keys the filter has room for that were never added before; a caller whose
   *     keys do not all fit is refused as a whole
   * @param late the keys that are not added if the filter lacks them, since they came up too long
   *     ago
   */
  static Decision of(int[] sizes, long[] hashes, Membership held, long room, IntPredicate late) {
    boolean[] fresh = new boolean[hashes.length];
    long[] newHashes = new long[hashes.length];
    BitSet refused = new BitSet();
    boolean[] expired = new boolean[hashes.length];
    LongSet before = new LongSet(hashes.length);
    LongSet renewed = new LongSet(held.hasOlder() ? hashes.length : 0);
    long[] renewHashes = new long[held.hasOlder() ? hashes.length : 0];
    int n = 0;
    int renewals = 0;
    // Those that return need none if they have their bits.
    long taken = 0;
    int from = 0;
    for (int caller = 0; caller < sizes.length; caller++) {
      int to = from + sizes[caller];
      int begin = n;
      int beginRenewals = renewals;
      long takenBefore = taken;
      for (int i = from; i < to; i++) {
        expired[i] = !held.present()[i] && late.test(i) && !before.contains(hashes[i]);
        fresh[i] = !held.present()[i] && !expired[i] && before.add(hashes[i]);
        if (held.present()[i] && held.isOlder(i) && renewed.add(hashes[i])) {
          renewHashes[renewals++] = hashes[i];
          taken++;
        }
        if (fresh[i]) {
          newHashes[n++] = hashes[i];
          taken += held.isRemoved(i) && held.haveBits()[i] ? 0 : 1;
        }
      }
      if (taken > takenBefore && taken > room) {
        while (n > begin) {
          before.removeNewest(newHashes[--n]);
        }
        while (renewals > beginRenewals) {
          renewed.removeNewest(renewHashes[--renewals]);
        }
        taken = takenBefore;
        Arrays.fill(fresh, from, to, false);
        refused.set(caller);
      }
      from = to;
    }
    long[] added = Arrays.copyOf(newHashes, n);
    long[] returning = NO_HASHES;
    long[] anew = NO_HASHES;
    if (held.removedBy() != null) {
      added = Hashes.where(hashes, i -> fresh[i] && !held.isRemoved(i));
      returning = Hashes.where(hashes, i -> fresh[i] && held.isRemoved(i) && held.haveBits()[i]);
      anew = Hashes.where(hashes, i -> fresh[i] && held.isRemoved(i) && !held.haveBits()[i]);
    }
    return new Decision(
        fresh,
        added,
        returning,
        anew,
        seen(sizes, hashes, refused, i -> held.present()[i] && held.isLacking(i)),
        seen(
            sizes,
            hashes,
            refused,
            i -> held.present()[i] && !held.isLacking(i) && held.isUnrecorded(i)),
        Arrays.copyOf(renewHashes, renewals),
        expired,
        refused);
  }

  int newKeys() {
    return newHashes.length + anewHashes.length + returningHashes.length;
  }

  /** Returns the answer about the first key. */
  Offered offered() {
    return Offered.of(fresh[0], expired[0]);
  }

  /** Returns how many keys need room that they did not have before. */
  int keysToSet() {
    return newHashes.length + anewHashes.length + renewHashes.length;
  }

  /** Returns the wanted keys of callers that were not refused, each once. */
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
