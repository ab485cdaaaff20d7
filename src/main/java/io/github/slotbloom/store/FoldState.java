package io.github.slotbloom.store;

import java.time.LocalDateTime;

/**
 * How far a filter is folded.
 *
 * @param foldedSeq entries up to this one are in the slots
 * @param epoch in which that is so
 * @param at when that was said, or that a part of what follows was written
 */
public record FoldState(long foldedSeq, long epoch, LocalDateTime at) {

  /** Whether the same entries are folded, though some of what follows may be written as well. */
  public boolean isAsFarAs(FoldState other) {
    return foldedSeq == other.foldedSeq && epoch == other.epoch;
  }
}
