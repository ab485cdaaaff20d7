package io.github.slotbloom.internal.membership;

import io.github.slotbloom.internal.mirror.GenerationArrays;
import io.github.slotbloom.internal.store.filter.FilterRecord;
import io.github.slotbloom.internal.store.filter.Manifest;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Says which of some keys the generations of a filter hold.
 *
 * @param present for each key, true if an active generation holds it, and it is not removed
 * @param haveBits for each key, true if an active generation has all its bits, and has them for as
 *     long as those of a new key; the same array as {@code present} if keys cannot be removed
 * @param removedBy for each key, the number of the entry that removed it, or zero if it is not
 *     removed; null if keys cannot be removed
 * @param lacking for each key, true if the generation being filled lacks it, and so do those that
 *     stay beside it; null if none is being filled
 * @param older for each key, true if it is in the filter, but not in the newest bucket; null if
 *     that does not matter
 * @param unrecorded for each key, true if its hash must be in the journal and is not known to be
 *     there; null if no hash must be
 */
@SuppressWarnings("ArrayRecordComponent") // the arrays are passed on at once, and never compared
public record Membership(
    boolean[] present,
    boolean[] haveBits,
    long @Nullable [] removedBy,
    boolean @Nullable [] lacking,
    boolean @Nullable [] older,
    boolean @Nullable [] unrecorded) {

  /**
   * Returns what generations in memory hold.
   *
   * @param renews true if adding a key again extends its lifetime
   * @param unrecorded as {@link Membership#unrecorded}
   */
  static Membership in(
      GenerationArrays arrays, long[] hashes, boolean renews, boolean @Nullable [] unrecorded) {
    boolean[] haveBits = new boolean[hashes.length];
    arrays.haveBits(hashes, 0, hashes.length, haveBits);
    return of(
        arrays.manifest(),
        haveBits,
        arrays.removedBy(hashes),
        arrays.lacking(hashes),
        renews ? arrays.older(hashes, haveBits) : null,
        unrecorded);
  }

  /**
   * Returns what generations hold.
   *
   * @param haveBits for each key, true if an active generation has all its bits
   */
  static Membership of(
      Manifest manifest,
      boolean[] haveBits,
      long @Nullable [] removedBy,
      boolean @Nullable [] lacking,
      boolean @Nullable [] older,
      boolean @Nullable [] unrecorded) {
    boolean[] present = without(haveBits, removedBy);
    // A key of a window that was removed gets its bits again, since those that it has may expire.
    boolean[] lasting = manifest.isWindow() ? present : haveBits;
    return new Membership(present, lasting, removedBy, lacking, older, unrecorded);
  }

  /** Returns which keys have their bits and are not removed. */
  private static boolean[] without(boolean[] haveBits, long @Nullable [] removedBy) {
    if (removedBy == null) {
      return haveBits;
    }
    boolean[] present = haveBits.clone();
    for (int i = 0; i < present.length; i++) {
      present[i] &= removedBy[i] == 0;
    }
    return present;
  }

  public boolean isRemoved(int key) {
    return removedBy != null && removedBy[key] > 0;
  }

  /** Returns true if a later entry than the given one removed the key. */
  public boolean isRemovedAfter(long seq, int key) {
    return removedBy != null && removedBy[key] > seq;
  }

  /** Returns what is known of some of the keys. */
  public Membership part(int from, int to) {
    return new Membership(
        Arrays.copyOfRange(present, from, to),
        Arrays.copyOfRange(haveBits, from, to),
        removedBy == null ? null : Arrays.copyOfRange(removedBy, from, to),
        lacking == null ? null : Arrays.copyOfRange(lacking, from, to),
        older == null ? null : Arrays.copyOfRange(older, from, to),
        unrecorded == null ? null : Arrays.copyOfRange(unrecorded, from, to));
  }

  public boolean isLacking(int key) {
    return lacking != null && lacking[key];
  }

  /** Returns true if the filter may hold keys in older buckets that are to live longer. */
  public boolean hasOlder() {
    return older != null;
  }

  public boolean isOlder(int key) {
    return older != null && older[key];
  }

  public boolean isUnrecorded(int key) {
    return unrecorded != null && unrecorded[key];
  }

  /** Returns the value of {@code unrecorded} for callers that remember nothing of the journal. */
  static boolean @Nullable [] nothingRecorded(FilterRecord filter, long[] hashes) {
    if (!filter.retainHashes()) {
      return null;
    }
    boolean[] all = new boolean[hashes.length];
    Arrays.fill(all, true);
    return all;
  }
}
