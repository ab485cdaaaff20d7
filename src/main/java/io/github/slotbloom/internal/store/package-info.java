/** Sessions, transactions and failures of MySQL and MariaDB, through jOOQ. Internal. */
@NullMarked
package io.github.slotbloom.internal.store;

import org.jspecify.annotations.NullMarked;
