/**
 * What can go wrong, each kind with its own exception; every message names the filter, the value
 * and the remedy.
 */
@NullMarked
package io.github.slotbloom.error;

import org.jspecify.annotations.NullMarked;
