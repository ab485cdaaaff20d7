/**
 * The journal, what changes by its entries, the hashes that outlive it, and the fold state.
 * Internal.
 */
@NullMarked
package io.github.slotbloom.internal.store.journal;

import org.jspecify.annotations.NullMarked;
