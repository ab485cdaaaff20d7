package io.github.slotbloom.report;

import java.time.Instant;

/**
 * The progress of the replacement of a filter by a larger one.
 *
 * @param filter its name
 * @param generation number of the generation that is being filled
 * @param capacity number of keys that the new generation is sized for
 * @param source description of the source of the keys
 * @param phase the present phase
 * @param keysRead keys of the source that this phase has finished; a key that the source returns
 *     twice counts twice
 * @param keysBefore keys that were added before the replacement began; the source must return at
 *     least that many
 * @param begunAt when the replacement began
 * @param updatedAt when the process that works on it last wrote its progress
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

  /** A phase of a replacement. */
  public enum Phase {
    /** The keys of the source are written to the new generation. */
    REPLAYING,
    /** The new generation is checked for the keys of the source. */
    VERIFYING
  }
}
