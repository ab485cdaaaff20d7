/** The rows that describe filters, generations and replacements. Internal. */
@NullMarked
package io.github.slotbloom.internal.store.catalog;

import org.jspecify.annotations.NullMarked;
