/** The slot tables: reading and writing 64 bits a row. Internal. */
@NullMarked
package io.github.slotbloom.internal.store.slots;

import org.jspecify.annotations.NullMarked;
