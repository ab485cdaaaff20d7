/**
 * Folds, trims and compacts the journal: moves its entries into the slots, and decides when they
 * may be removed. {@code FoldPace} decides when a batch is folded, {@code FoldShare} how many rows
 * one transaction writes. Internal.
 */
@NullMarked
package io.github.slotbloom.internal.fold;

import org.jspecify.annotations.NullMarked;
