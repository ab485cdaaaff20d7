/**
 * Runs one open filter in this process: the state that its parts share, and the times at which they
 * work. Internal.
 */
@NullMarked
package io.github.slotbloom.internal.engine;

import org.jspecify.annotations.NullMarked;
