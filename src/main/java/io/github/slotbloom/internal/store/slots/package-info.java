/** Slot tables: reading and writing 64 bits per row. Internal. */
@NullMarked
package io.github.slotbloom.internal.store.slots;

import org.jspecify.annotations.NullMarked;
