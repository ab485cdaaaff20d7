package io.github.slotbloom.internal.ask;

import io.github.slotbloom.error.ReplacementException;
import io.github.slotbloom.internal.store.journal.Cursor;
import org.jspecify.annotations.Nullable;

/**
 * What a filter that is being replaced holds of some keys of the source.
 *
 * @param before for each key, whether a generation holds it that is to be replaced
 * @param lacking for each key, whether the generation lacks it that is being filled
 * @param end of the journal, read afterwards: as long as the journal holds that entry, no failover
 *     has lost what was seen
 */
@SuppressWarnings("ArrayRecordComponent") // handed on at once, never compared
public record SourceKeys(boolean[] before, boolean[] lacking, Cursor end) {

  /**
   * Puts together what was found.
   *
   * @param lacking null if no generation is being filled
   * @throws ReplacementException if none is
   */
  static SourceKeys of(String filter, boolean[] before, boolean @Nullable [] lacking, Cursor end) {
    if (lacking == null) {
      throw new ReplacementException(
          "The replacement of filter "
              + filter
              + " is over: somebody gave it up or finished it, or the filter was cleared.");
    }
    return new SourceKeys(before, lacking, end);
  }
}
