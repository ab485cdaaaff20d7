package io.github.slotbloom.internal.time;

/**
 * A moment, read from both clocks.
 *
 * @param nanos nanoseconds of the monotonic clock
 * @param wallMillis milliseconds of the wall clock
 */
public record Moment(long nanos, long wallMillis) {}
