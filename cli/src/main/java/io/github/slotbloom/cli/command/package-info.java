/** The commands and their options, one class each. */
@NullMarked
package io.github.slotbloom.cli.command;

import org.jspecify.annotations.NullMarked;
