package io.github.slotbloom.internal.ask;

import io.github.slotbloom.internal.store.catalog.FilterRecord;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Says which of some keys the generations of a filter hold.
 *
 * @param present for each key, true if a generation that answers holds it
 * @param lacking for each key, true if the generation being filled lacks it; null if none is being
 *     filled
 * @param unrecorded for each key, true if its hash must be in the journal and is not known to be
 *     there; null if no hash must be
 */
@SuppressWarnings("ArrayRecordComponent") // the arrays are passed on at once, and never compared
public record Membership(
    boolean[] present, boolean @Nullable [] lacking, boolean @Nullable [] unrecorded) {

  public boolean isLacking(int key) {
    return lacking != null && lacking[key];
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
