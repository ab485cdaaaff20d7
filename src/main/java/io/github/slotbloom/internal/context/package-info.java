/**
 * What the parts of an open filter share: its record as it was last read, and what the server does
 * with a commit; and how they wait for the database. Internal.
 */
@NullMarked
package io.github.slotbloom.internal.context;

import org.jspecify.annotations.NullMarked;
