/**
 * MySQL and MariaDB, through jOOQ: catalog, journal, slot tables, sessions and retry rules.
 * Internal.
 */
@NullMarked
package io.github.slotbloom.store;

import org.jspecify.annotations.NullMarked;
