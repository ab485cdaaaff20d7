/**
 * How keys are added: the queue, the one thread that writes a batch at a time, and what follows a
 * commit. Internal.
 */
@NullMarked
package io.github.slotbloom.internal.add;

import org.jspecify.annotations.NullMarked;
