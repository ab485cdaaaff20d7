package io.github.slotbloom.spark;

import java.io.Serializable;

/**
 * How tasks come to a filter.
 *
 * @param id names this access, in all JVMs alike
 * @param filter the name of the filter
 * @param keys how values of the column are taken
 * @param database makes the data source
 */
record FilterAccess(String id, String filter, ColumnKeys keys, DataSourceFactory database)
    implements Serializable {}
