/** Clocks, moments and deadlines, which tests replace. Internal. */
@NullMarked
package io.github.slotbloom.internal.time;

import org.jspecify.annotations.NullMarked;
