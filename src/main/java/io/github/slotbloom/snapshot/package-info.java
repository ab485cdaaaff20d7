/** A filter in a file: reading and writing docs/export-format.md. Internal. */
@NullMarked
package io.github.slotbloom.snapshot;

import org.jspecify.annotations.NullMarked;
