/**
 * Does the arithmetic of one generation: the bits of a hash, and the fill of the slots. Internal.
 */
@NullMarked
package io.github.slotbloom.internal.bits;

import org.jspecify.annotations.NullMarked;
