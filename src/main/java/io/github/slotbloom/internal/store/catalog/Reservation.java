package io.github.slotbloom.internal.store.catalog;

import io.github.slotbloom.core.FilterName;

/**
 * A filter whose slot table is not created yet.
 *
 * @param filterId id that the filter will have
 * @param name name of the filter
 * @param generation number of its first generation
 * @param token tells this reservation from another one with the same name
 */
public record Reservation(long filterId, FilterName name, int generation, long token) {}
