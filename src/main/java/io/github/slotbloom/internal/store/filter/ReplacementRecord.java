package io.github.slotbloom.internal.store.filter;

import java.time.Instant;

/**
 * The progress of replacing a filter's generations.
 *
 * @param generation number of the generation that is being filled
 * @param capacity keys of that generation, and of the filter after the cut-over
 * @param keysBefore keys that were added before the replacement began; the source has to bring them
 * @param owner random number of the process that replays
 * @param source where the keys come from
 * @param keysRead keys of the source that this phase has processed
 * @param updatedAt when its row was last written
 * @param idle true if that is so long ago that the process may be considered dead
 */
public record ReplacementRecord(
    int generation,
    long capacity,
    long keysBefore,
    long owner,
    String source,
    Phase phase,
    long keysRead,
    Instant begunAt,
    Instant updatedAt,
    boolean idle) {

  /** Returns this record with later progress. */
  public ReplacementRecord at(Phase nextPhase, long nextKeysRead) {
    return new ReplacementRecord(
        generation,
        capacity,
        keysBefore,
        owner,
        source,
        nextPhase,
        nextKeysRead,
        begunAt,
        updatedAt,
        idle);
  }

  /** The phase of a replacement. */
  public enum Phase {
    /** The keys of the source are written to the generation. */
    REPLAYING,
    /** The generation is checked for the keys of the source. */
    VERIFYING
  }
}
