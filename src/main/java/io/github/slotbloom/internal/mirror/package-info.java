/** The bits in memory: loading them, and following the journal. Internal. */
@NullMarked
package io.github.slotbloom.internal.mirror;

import org.jspecify.annotations.NullMarked;
