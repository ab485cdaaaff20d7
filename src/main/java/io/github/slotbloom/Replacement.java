package io.github.slotbloom;

import java.time.Instant;

/**
 * How far the replacement of a filter by a larger one is.
 *
 * @param filter its name
 * @param generation number of the generation that is being filled
 * @param capacity keys that it is made for
 * @param source where the keys come from
 * @param phase what is being done
 * @param keysRead keys of the source that this phase is through with; a key that the source brings
 *     twice counts twice
 * @param keysBefore keys that were added before it began, which the source has to bring at least
 * @param begunAt when it began
 * @param updatedAt when the process that works on it wrote how far it is
 */
public record Replacement(
    String filter,
    int generation,
    long capacity,
    String source,
    Phase phase,
    long keysRead,
    long keysBefore,
    Instant begunAt,
    Instant updatedAt) {

  /** What is being done. */
  public enum Phase {
    /** The keys of the source are written to the new generation. */
    REPLAYING,
    /** The new generation is asked for the keys of the source. */
    VERIFYING
  }
}
