package io.github.slotbloom.reliability;

import io.github.slotbloom.reliability.Operation.Answer;
import java.util.List;
import java.util.Map;

/**
 * What the checker found in one history.
 *
 * @param answers how many operations had which answer
 * @param falsePositives answers "seen" or yes that the bits of other keys explain, and nothing else
 * @param winners keys that one caller was told are new, since the last clear
 * @param possibleWinners other keys that were added by somebody who did not hear the answer
 * @param violations the first of them, in words
 * @param staleness of bounded answers that missed a key: how long it had been acknowledged, in
 *     nanoseconds
 */
record Findings(
    Map<Answer, Long> answers,
    long falsePositives,
    long winners,
    long possibleWinners,
    long violated,
    List<String> violations,
    LongQuantiles staleness) {}
