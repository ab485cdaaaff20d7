package io.github.slotbloom.report;

import io.github.slotbloom.report.HeatMap.Range;
import java.util.List;

/**
 * The figures and heat maps of a filter.
 *
 * @param filter name of the filter
 * @param layout where the bits of a key lie, in lower case
 * @param keyType id of its key type
 * @param capacity number of keys that the filter is sized for
 * @param falsePositiveRate target false positive rate of the whole filter at capacity
 * @param keysAdded keys that were reported as new since the filter was created or cleared
 * @param epoch 1, plus 1 for each clear
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

  /** The largest number of {@link Range ranges} in a {@link HeatMap}. */
  public static final int MOST_RANGES = 1 << 16;
}
