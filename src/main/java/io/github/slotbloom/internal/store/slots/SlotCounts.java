package io.github.slotbloom.internal.store.slots;

import io.github.slotbloom.core.Fill;

/**
 * What a slot table holds.
 *
 * @param fill its set bits
 * @param rows its rows
 */
public record SlotCounts(Fill fill, long rows) {}
