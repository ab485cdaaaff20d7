/** Keeps a filter in a file: reads and writes the format of docs/export-format.md. Internal. */
@NullMarked
package io.github.slotbloom.internal.snapshot;

import org.jspecify.annotations.NullMarked;
