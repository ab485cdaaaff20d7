package io.github.slotbloom.internal.store.journal;

import org.jspecify.annotations.Nullable;

/**
 * The ends of a filter's journal at one moment, and how far it is folded.
 *
 * @param lastSeq number of the newest entry, from the catalog
 * @param foldedSeq entries up to this one are in the slots; null if the filter has no row there
 * @param firstSeq number of the oldest entry in the journal; null if it has none
 * @param mayBeTrimmed true if the filter is old enough that entries may have been trimmed, or if it
 *     was imported without them
 * @param imported true if the filter has keys that never were in the journal
 */
public record JournalEnds(
    long lastSeq,
    @Nullable Long foldedSeq,
    @Nullable Long firstSeq,
    boolean mayBeTrimmed,
    boolean imported) {

  /** Returns true if all entries before that one may be folded and trimmed, by these values. */
  public boolean isTrimmedTo(long seq) {
    return mayBeTrimmed
        && foldedSeq != null
        && foldedSeq >= seq - 1
        && firstSeq != null
        && firstSeq >= seq;
  }
}
