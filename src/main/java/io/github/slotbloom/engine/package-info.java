/** Adding and asking: the write queue, the folder, and what works in the background. Internal. */
@NullMarked
package io.github.slotbloom.engine;

import org.jspecify.annotations.NullMarked;
