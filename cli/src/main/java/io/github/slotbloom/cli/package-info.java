/** The command line: where it begins, its surroundings, and the codes that it ends with. */
@NullMarked
package io.github.slotbloom.cli;

import org.jspecify.annotations.NullMarked;
