/** Whole filters that go elsewhere: export, import, merge and comparison. Internal. */
@NullMarked
package io.github.slotbloom.internal.transfer;

import org.jspecify.annotations.NullMarked;
