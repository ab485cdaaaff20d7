/** The results of the verification and the inspection of filters. */
@NullMarked
package io.github.slotbloom.report;

import org.jspecify.annotations.NullMarked;
