/** The bits in memory: loading them, and keeping up with the journal. Internal. */
@NullMarked
package io.github.slotbloom.internal.mirror;

import org.jspecify.annotations.NullMarked;
