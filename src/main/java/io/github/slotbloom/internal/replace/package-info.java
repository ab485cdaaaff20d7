/** Replaces a filter by one of another size while it is used. Internal. */
@NullMarked
package io.github.slotbloom.internal.replace;

import org.jspecify.annotations.NullMarked;
