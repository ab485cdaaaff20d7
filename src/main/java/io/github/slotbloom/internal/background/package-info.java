/** Hands work over to other threads, so that nothing waits for work that never began. Internal. */
@NullMarked
package io.github.slotbloom.internal.background;

import org.jspecify.annotations.NullMarked;
