/**
 * Reads lines of input, finds their keys, and answers them in order. {@code Inputs} names the
 * files, {@code LinePipeline} opens them one after the other and runs the steps, {@code LineReader}
 * cuts one file into lines, {@code KeyField} and {@code KeyFormat} make the key, and {@code
 * LineAnswerer} asks the filter.
 */
@NullMarked
package io.github.slotbloom.cli.line;

import org.jspecify.annotations.NullMarked;
