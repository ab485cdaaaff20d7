/**
 * Runs the open filters of this process: the methods that callers call, the state that the parts of
 * a filter share, and the times at which they work. Internal.
 */
@NullMarked
package io.github.slotbloom.internal.engine;

import org.jspecify.annotations.NullMarked;
