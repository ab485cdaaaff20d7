/**
 * Lookups of keys that a filter takes for members: one for all callers, and what is kept of them.
 */
@NullMarked
package io.github.slotbloom.internal.lookup;

import org.jspecify.annotations.NullMarked;
