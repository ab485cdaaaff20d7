/** Open filters as their users have them: keys become hashes here. Internal. */
@NullMarked
package io.github.slotbloom.internal.opened;

import org.jspecify.annotations.NullMarked;
