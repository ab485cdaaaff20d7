/** The tables of MySQL and MariaDB and their columns, through jOOQ. Internal. */
@NullMarked
package io.github.slotbloom.internal.store;

import org.jspecify.annotations.NullMarked;
