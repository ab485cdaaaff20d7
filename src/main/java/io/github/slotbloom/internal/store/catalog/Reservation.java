package io.github.slotbloom.internal.store.catalog;

import io.github.slotbloom.core.FilterName;

/**
 * A filter whose slot table is not made yet.
 *
 * @param filterId id that it will have
 * @param name its name
 * @param generation number of its first generation
 * @param token tells this reservation from another one of the same name
 */
public record Reservation(long filterId, FilterName name, int generation, long token) {}
