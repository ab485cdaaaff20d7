package io.github.slotbloom.internal.store.catalog;

import io.github.slotbloom.core.WhenFull;
import io.github.slotbloom.internal.store.journal.Cursor;

/**
 * The part of a filter's catalog row that changes.
 *
 * @param state what may be done with it
 * @param formatVersion of what is stored
 * @param epoch rises with each clear
 * @param lastSeq number of the newest journal entry
 * @param lastToken token of that entry
 * @param keysAdded keys answered "new" since the last clear
 * @param capacity keys that all generations together are made for
 * @param generationToken token of what changed the generations last; 0 if there was never more than
 *     one
 * @param whenFull what is done with new keys beyond the capacity
 */
public record FilterHead(
    FilterState state,
    int formatVersion,
    long epoch,
    long lastSeq,
    long lastToken,
    long keysAdded,
    long capacity,
    long generationToken,
    WhenFull whenFull) {

  public Cursor end() {
    return new Cursor(lastSeq, lastToken);
  }

  /** The same after so many new keys were appended. */
  public FilterHead after(Cursor newEnd, long newKeys) {
    return new FilterHead(
        state,
        formatVersion,
        epoch,
        newEnd.seq(),
        newEnd.token(),
        keysAdded + newKeys,
        capacity,
        generationToken,
        whenFull);
  }
}
