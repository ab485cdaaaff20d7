/**
 * The arithmetic of one generation: which bits a hash owns, and how full the slots are. Internal.
 */
@NullMarked
package io.github.slotbloom.internal.bits;

import org.jspecify.annotations.NullMarked;
