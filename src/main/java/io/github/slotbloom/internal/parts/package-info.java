/**
 * Divides a set of keys among several filters: which key goes where, and what came back. Internal.
 */
@NullMarked
package io.github.slotbloom.internal.parts;

import org.jspecify.annotations.NullMarked;
