package io.github.slotbloom.internal.store.journal;

/**
 * How far a filter is folded.
 *
 * @param foldedSeq entries up to this one are in the slots
 * @param epoch in which that is so
 * @param atMillis when that was said, or that a part of what follows was written: milliseconds from
 *     1970 on, by the server's clock
 */
public record FoldState(long foldedSeq, long epoch, long atMillis) {

  /** Whether the same entries are folded, though some of what follows may be written as well. */
  public boolean isAsFarAs(FoldState other) {
    return foldedSeq == other.foldedSeq && epoch == other.epoch;
  }
}
