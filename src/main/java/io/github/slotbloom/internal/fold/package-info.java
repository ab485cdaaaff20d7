/**
 * Folds, trims and compacts the journal: moves its entries into the slots, and decides when they
 * may be removed. Internal.
 */
@NullMarked
package io.github.slotbloom.internal.fold;

import org.jspecify.annotations.NullMarked;
