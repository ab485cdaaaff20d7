package io.github.slotbloom.internal.ask;

import io.github.slotbloom.core.FilterName;
import io.github.slotbloom.error.ReplacementException;
import io.github.slotbloom.internal.store.journal.Cursor;
import org.jspecify.annotations.Nullable;

/**
 * Says what a filter that is being replaced holds of some keys of the source.
 *
 * @param before for each key, true if a generation that is to be replaced holds it
 * @param lacking for each key, true if the generation being filled lacks it
 * @param end the end of the journal, read afterwards: as long as the journal holds that entry, no
 *     failover has lost the keys that were seen
 */
@SuppressWarnings("ArrayRecordComponent") // the arrays are passed on at once, and never compared
public record SourceKeys(boolean[] before, boolean[] lacking, Cursor end) {

  /**
   * Combines the results of a look-up.
   *
   * @param lacking null if no generation is being filled
   * @throws ReplacementException if no generation is being filled
   */
  static SourceKeys of(
      FilterName filter, boolean[] before, boolean @Nullable [] lacking, Cursor end) {
    if (lacking == null) {
      throw new ReplacementException(
          "The replacement of filter "
              + filter
              + " is over: somebody gave it up or finished it, or the filter was cleared.");
    }
    return new SourceKeys(before, lacking, end);
  }
}
