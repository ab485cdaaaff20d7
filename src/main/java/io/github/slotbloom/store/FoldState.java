package io.github.slotbloom.store;

/**
 * How far a filter is folded.
 *
 * @param foldedSeq entries up to this one are in the slots
 * @param epoch in which that is so
 */
public record FoldState(long foldedSeq, long epoch) {}
