/** The command line. Uses the public door like any other program; nothing depends on it. */
@NullMarked
package io.github.slotbloom.cli;

import org.jspecify.annotations.NullMarked;
