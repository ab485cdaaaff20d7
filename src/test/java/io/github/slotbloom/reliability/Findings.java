package io.github.slotbloom.reliability;

import java.util.List;

/**
 * What the checker found in one history.
 *
 * @param winners keys that one caller was told are new, since the last clear
 * @param possibleWinners other keys that were added by somebody who did not hear the answer
 * @param violations the first of them, in words
 * @param staleness of bounded answers that missed a key: how long it had been acknowledged, in
 *     nanoseconds
 */
record Findings(
    long operations,
    long keys,
    long winners,
    long possibleWinners,
    long violated,
    List<String> violations,
    LongQuantiles staleness) {}
