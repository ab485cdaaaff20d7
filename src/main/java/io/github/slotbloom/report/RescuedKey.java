package io.github.slotbloom.report;

import java.time.Instant;
import java.util.Optional;

/**
 * A key that a block list does not block. The database has its hash only.
 *
 * @param hash the 64-bit hash of the key, by the hash function and the seed of the filter
 * @param reason why it is rescued
 * @param by who rescued it
 * @param rescuedAt when that was, by the database clock
 * @param until when the rescue ends, by the same clock; empty for never
 */
public record RescuedKey(
    long hash, String reason, String by, Instant rescuedAt, Optional<Instant> until) {}
