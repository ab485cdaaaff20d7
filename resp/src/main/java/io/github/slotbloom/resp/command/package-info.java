/** From requests to calls of Slotbloom, and from what these return or throw to answers. */
@NullMarked
package io.github.slotbloom.resp.command;

import org.jspecify.annotations.NullMarked;
