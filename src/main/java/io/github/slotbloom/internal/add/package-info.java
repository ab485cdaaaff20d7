/**
 * Adds keys: the queue, the single thread that writes a batch at a time, and the steps after a
 * commit. Internal.
 */
@NullMarked
package io.github.slotbloom.internal.add;

import org.jspecify.annotations.NullMarked;
