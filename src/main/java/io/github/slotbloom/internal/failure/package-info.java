/** Handles failures: tries again, and in the end tells the caller. Internal. */
@NullMarked
package io.github.slotbloom.internal.failure;

import org.jspecify.annotations.NullMarked;
