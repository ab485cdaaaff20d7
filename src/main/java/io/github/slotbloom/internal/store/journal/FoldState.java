package io.github.slotbloom.internal.store.journal;

/**
 * How far a filter is folded.
 *
 * @param foldedSeq entries up to this one are in the slots
 * @param atMillis when this was recorded, or when a part of later entries was recorded as written:
 *     milliseconds since the start of 1970, by the server's clock
 */
public record FoldState(long foldedSeq, long atMillis) {}
