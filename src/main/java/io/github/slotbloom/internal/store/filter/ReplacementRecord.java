package io.github.slotbloom.internal.store.filter;

import io.github.slotbloom.report.Replacement;
import io.github.slotbloom.report.Replacement.Phase;

/**
 * The progress of replacing a filter's generations, and who works on it.
 *
 * @param owner random number of the process that replays
 * @param idle true if its row was last written so long ago that the process may be considered dead
 */
public record ReplacementRecord(Replacement progress, long owner, boolean idle) {

  /** Returns this record with later progress. */
  public ReplacementRecord at(Phase phase, long keysRead) {
    return new ReplacementRecord(
        new Replacement(
            progress.filter(),
            progress.generation(),
            progress.capacity(),
            progress.source(),
            phase,
            keysRead,
            progress.keysBefore(),
            progress.begunAt(),
            progress.updatedAt()),
        owner,
        idle);
  }
}
