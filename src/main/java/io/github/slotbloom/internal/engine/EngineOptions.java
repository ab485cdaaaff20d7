package io.github.slotbloom.internal.engine;

import java.time.Duration;

/**
 * How a process uses one filter.
 *
 * @param bound how old the knowledge behind a no may be; zero asks each time
 * @param mirrored whether the bits are held in memory
 * @param timeout the most time a call may take
 * @param queueCapacity keys that may wait to be written
 * @param mostKeysPerTransaction keys that one transaction takes
 * @param backlogLimit journal entries that may wait to be folded before adds are held back
 * @param maybeWhenUnavailable whether a question that cannot be answered is answered with yes
 * @param warnAt the share of its capacity from which on the filter is nearly full, above 0
 */
public record EngineOptions(
    Duration bound,
    boolean mirrored,
    Duration timeout,
    int queueCapacity,
    int mostKeysPerTransaction,
    int backlogLimit,
    boolean maybeWhenUnavailable,
    double warnAt) {}
