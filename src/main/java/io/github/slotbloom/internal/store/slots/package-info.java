/** The tables that one filter has for itself: 64 bits a row, and removed hashes. Internal. */
@NullMarked
package io.github.slotbloom.internal.store.slots;

import org.jspecify.annotations.NullMarked;
