package io.github.slotbloom.internal.store.catalog;

import java.time.Instant;

/**
 * How far the replacement of a filter's generations is.
 *
 * @param generation that is being filled
 * @param capacity keys, once it has replaced the others
 * @param keysBefore keys that were added before it began, which the source has to bring
 * @param owner random, of the process that replays
 * @param source where the keys come from
 * @param phase what is being done
 * @param keysRead keys of the source that this phase is through with
 * @param begunAt when it began
 * @param updatedAt when anything of it was written last
 * @param idle whether that is so long ago that its process may be taken for dead
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

  /** The same, further on. */
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

  /** What is being done. */
  public enum Phase {
    /** The keys of the source are written to the generation. */
    REPLAYING,
    /** The generation is asked for the keys of the source. */
    VERIFYING
  }
}
