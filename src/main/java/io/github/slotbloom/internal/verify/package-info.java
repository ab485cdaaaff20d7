/**
 * Compares what the tables hold with what they must hold, and repairs what can be repaired.
 * Internal.
 */
@NullMarked
package io.github.slotbloom.internal.verify;

import org.jspecify.annotations.NullMarked;
