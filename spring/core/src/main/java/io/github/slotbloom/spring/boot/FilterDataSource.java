package io.github.slotbloom.spring.boot;

import javax.sql.DataSource;

/**
 * The data source that holds the filters: the marked one, or else the only or primary one. It is no
 * bean of the type {@link DataSource}, so that it is not mistaken for another one.
 */
record FilterDataSource(DataSource get) {}
