/**
 * What the catalog says of a filter: its head, its generations, and which of them take a key.
 * Internal.
 */
@NullMarked
package io.github.slotbloom.internal.store.filter;

import org.jspecify.annotations.NullMarked;
