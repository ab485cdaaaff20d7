package io.github.slotbloom.internal.store.slots;

import io.github.slotbloom.core.Fill;

/**
 * The contents of a slot table in numbers.
 *
 * @param fill its set bits
 * @param rows its number of rows
 */
public record SlotCounts(Fill fill, long rows) {}
