/** Standard output, standard error and the terminal: results, messages and progress. */
@NullMarked
package io.github.slotbloom.cli.terminal;

import org.jspecify.annotations.NullMarked;
