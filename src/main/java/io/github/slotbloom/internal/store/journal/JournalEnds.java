package io.github.slotbloom.internal.store.journal;

import org.jspecify.annotations.Nullable;

/**
 * Where the journal of a filter begins and ends, and how far it is folded, at one moment.
 *
 * @param epoch of the filter
 * @param lastSeq number of the newest entry, by the catalog
 * @param foldEpoch the epoch in {@code bloom_fold}; null if the filter has no row there
 * @param foldedSeq entries up to this one are in the slots; null if the filter has no row there
 * @param firstSeq number of the oldest entry that is there; null if none is
 * @param mayBeTrimmed whether the filter is old enough that entries may have been trimmed, or was
 *     imported without them
 * @param imported whether there are keys that never were in the journal
 */
public record JournalEnds(
    long epoch,
    long lastSeq,
    @Nullable Long foldEpoch,
    @Nullable Long foldedSeq,
    @Nullable Long firstSeq,
    boolean mayBeTrimmed,
    boolean imported) {

  /** Whether all entries before that one are folded and trimmed, as far as this tells. */
  public boolean isTrimmedTo(long seq) {
    return mayBeTrimmed
        && foldedSeq != null
        && foldedSeq >= seq - 1
        && firstSeq != null
        && firstSeq >= seq;
  }
}
