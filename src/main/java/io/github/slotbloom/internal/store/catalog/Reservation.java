package io.github.slotbloom.internal.store.catalog;

import io.github.slotbloom.core.FilterName;
import io.github.slotbloom.internal.store.filter.TableNames;

/**
 * A filter whose tables are not created yet.
 *
 * @param tables the names of its tables, with the number that it will have
 * @param token tells this reservation from another one with the same name
 */
public record Reservation(TableNames tables, FilterName name, long token) {}
