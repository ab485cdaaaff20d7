/** From answers to bytes, in both versions of the protocol. */
@NullMarked
package io.github.slotbloom.resp.reply;

import org.jspecify.annotations.NullMarked;
