/** Makes the tables that all filters share, through Flyway. Internal. */
@NullMarked
package io.github.slotbloom.internal.schema;

import org.jspecify.annotations.NullMarked;
