/** The automatic work of an open filter as it fills and as time passes. Internal. */
@NullMarked
package io.github.slotbloom.internal.duty;

import org.jspecify.annotations.NullMarked;
