/** Provides SQL for people: the function that asks a filter, and the ready queries. Internal. */
@NullMarked
package io.github.slotbloom.internal.sql;

import org.jspecify.annotations.NullMarked;
