package io.github.slotbloom.internal.ask;

import io.github.slotbloom.internal.store.catalog.FilterRecord;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * What the generations of a filter hold of some keys.
 *
 * @param present for each key, whether a generation that answers holds it
 * @param lacking for each key, whether the generation that is being filled lacks it; null if none
 *     is
 * @param unrecorded for each key, whether its hash has to be in the journal and is not known to be;
 *     null if none has to
 */
@SuppressWarnings("ArrayRecordComponent") // handed on at once, never compared
public record Held(
    boolean[] present, boolean @Nullable [] lacking, boolean @Nullable [] unrecorded) {

  public boolean isLacking(int key) {
    return lacking != null && lacking[key];
  }

  public boolean isUnrecorded(int key) {
    return unrecorded != null && unrecorded[key];
  }

  /** For whoever remembers nothing of the journal. */
  static boolean @Nullable [] nothingRecorded(FilterRecord filter, long[] hashes) {
    if (!filter.retainHashes()) {
      return null;
    }
    boolean[] all = new boolean[hashes.length];
    Arrays.fill(all, true);
    return all;
  }
}
