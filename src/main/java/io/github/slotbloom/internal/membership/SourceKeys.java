package io.github.slotbloom.internal.membership;

import io.github.slotbloom.core.FilterName;
import io.github.slotbloom.error.ReplacementException;
import io.github.slotbloom.internal.store.filter.Cursor;

/**
 * Says what a filter that is being replaced holds of some keys of the source.
 *
 * @param before for each key, true if a generation that is to be replaced holds it
 * @param lacking for each key, true if the generation being filled lacks it, and so do those that
 *     stay beside it
 * @param end the end of the journal, read afterwards: as long as the journal holds that entry, no
 *     failover has lost the keys that were seen
 */
@SuppressWarnings("ArrayRecordComponent") // the arrays are passed on at once, and never compared
public record SourceKeys(boolean[] before, boolean[] lacking, Cursor end) {

  /**
   * @throws ReplacementException if no generation is being filled
   */
  static SourceKeys of(FilterName filter, Membership held, Cursor end) {
    boolean[] lacking = held.lacking();
    if (lacking == null) {
      throw new ReplacementException(
          "The replacement of filter "
              + filter
              + " has ended: it was aborted or finished, or the filter was cleared.");
    }
    return new SourceKeys(held.haveBits(), lacking, end);
  }
}
