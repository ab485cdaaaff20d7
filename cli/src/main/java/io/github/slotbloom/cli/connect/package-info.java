/** Which database a command talks to: its address, account and password, or the embedded one. */
@NullMarked
package io.github.slotbloom.cli.connect;

import org.jspecify.annotations.NullMarked;
