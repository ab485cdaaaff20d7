/**
 * The exceptions of the library, one for each kind of failure. Every message names the filter, the
 * value and the remedy.
 *
 * @since 0.1.0
 */
@NullMarked
package io.github.slotbloom.error;

import org.jspecify.annotations.NullMarked;
