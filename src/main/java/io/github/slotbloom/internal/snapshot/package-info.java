/** A filter in a file: reads and writes docs/export-format.md. Internal. */
@NullMarked
package io.github.slotbloom.internal.snapshot;

import org.jspecify.annotations.NullMarked;
