/** What an open filter does automatically as it fills and as time passes. Internal. */
@NullMarked
package io.github.slotbloom.internal.duty;

import org.jspecify.annotations.NullMarked;
