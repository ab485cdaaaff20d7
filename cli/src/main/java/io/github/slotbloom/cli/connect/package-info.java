/** Finds the database of a command: its address, account and password, or the embedded one. */
@NullMarked
package io.github.slotbloom.cli.connect;

import org.jspecify.annotations.NullMarked;
