/** Reads lines of input, takes their keys, and answers them in order. */
@NullMarked
package io.github.slotbloom.cli.line;

import org.jspecify.annotations.NullMarked;
