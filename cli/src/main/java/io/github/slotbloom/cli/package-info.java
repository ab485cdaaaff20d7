/** The command line: its entry point, its surroundings and its exit codes. */
@NullMarked
package io.github.slotbloom.cli;

import org.jspecify.annotations.NullMarked;
