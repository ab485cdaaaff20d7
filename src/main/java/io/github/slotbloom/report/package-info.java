/**
 * The results of the verification and the inspection of filters.
 *
 * @since 0.1.0
 */
@NullMarked
package io.github.slotbloom.report;

import org.jspecify.annotations.NullMarked;
