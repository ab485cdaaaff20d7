/**
 * What the parts of an open filter share: its record, its servers, its clock; and how they wait for
 * the database. Internal.
 */
@NullMarked
package io.github.slotbloom.internal.context;

import org.jspecify.annotations.NullMarked;
