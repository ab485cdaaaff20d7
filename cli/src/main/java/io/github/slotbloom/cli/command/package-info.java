/**
 * The commands and their options, one class each. An option of one command is a field of its class;
 * options that several commands share have classes of their own, such as {@code KeyFieldOptions}.
 */
@NullMarked
package io.github.slotbloom.cli.command;

import org.jspecify.annotations.NullMarked;
