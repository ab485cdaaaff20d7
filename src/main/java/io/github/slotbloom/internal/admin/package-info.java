/**
 * The operations of administrators: reserve, grow, replace, merge, compare, export, import, clear
 * and drop. Internal.
 */
@NullMarked
package io.github.slotbloom.internal.admin;

import org.jspecify.annotations.NullMarked;
