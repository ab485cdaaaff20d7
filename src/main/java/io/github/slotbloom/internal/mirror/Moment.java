package io.github.slotbloom.internal.mirror;

/**
 * A moment by both clocks.
 *
 * @param nanos of the monotonic clock
 * @param wallMillis of the wall clock
 */
public record Moment(long nanos, long wallMillis) {}
