/**
 * Folding, trimming and compaction: how the journal gets into the slots, and when it may go.
 * Internal.
 */
@NullMarked
package io.github.slotbloom.internal.fold;

import org.jspecify.annotations.NullMarked;
