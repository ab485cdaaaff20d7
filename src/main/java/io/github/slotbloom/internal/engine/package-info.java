/** One open filter in this process: what all its parts share, and when they work. Internal. */
@NullMarked
package io.github.slotbloom.internal.engine;

import org.jspecify.annotations.NullMarked;
