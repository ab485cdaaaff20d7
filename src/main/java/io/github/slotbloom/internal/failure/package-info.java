/** What to do about failures: try again, and tell the caller in the end. Internal. */
@NullMarked
package io.github.slotbloom.internal.failure;

import org.jspecify.annotations.NullMarked;
