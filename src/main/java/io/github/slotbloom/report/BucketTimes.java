package io.github.slotbloom.report;

import java.time.Instant;

/**
 * The bucket that a generation of a window belongs to. Times are those of the database clock.
 *
 * @param number its number, counted from the start of 1970 in UTC
 * @param begin when it begins
 * @param expiresAt when its keys expire
 * @param expired true if its keys had expired when it was looked at
 */
public record BucketTimes(long number, Instant begin, Instant expiresAt, boolean expired) {}
