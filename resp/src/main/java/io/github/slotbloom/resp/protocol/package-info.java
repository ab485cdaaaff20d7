/** From bytes to requests: the two forms of a request, and the bounds on what is kept of one. */
@NullMarked
package io.github.slotbloom.resp.protocol;

import org.jspecify.annotations.NullMarked;
