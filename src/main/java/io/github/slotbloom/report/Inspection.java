package io.github.slotbloom.report;

import io.github.slotbloom.report.HeatMap.Range;
import java.util.List;

/**
 * A look into a filter.
 *
 * @param filter its name
 * @param layout where the bits of a key lie, in lower case
 * @param keyType id of its key type
 * @param capacity keys that it was made for
 * @param falsePositiveRate target error rate of the whole filter at capacity
 * @param keysAdded keys that were answered "new" since it was made or cleared
 * @param epoch counts how often it was cleared
 * @param lastSequence number of the newest journal entry
 * @param foldedSequence number of the newest entry whose bits are in the slots
 * @param generations its generations, oldest first
 */
public record Inspection(
    String filter,
    String layout,
    String keyType,
    long capacity,
    double falsePositiveRate,
    long keysAdded,
    long epoch,
    long lastSequence,
    long foldedSequence,
    List<HeatMap> generations) {

  /** The most {@link Range ranges} of a {@link HeatMap}. */
  public static final int MOST_RANGES = 1 << 16;
}
