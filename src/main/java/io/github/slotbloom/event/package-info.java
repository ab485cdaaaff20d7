/** What the library tells an application while it works. */
@NullMarked
package io.github.slotbloom.event;

import org.jspecify.annotations.NullMarked;
