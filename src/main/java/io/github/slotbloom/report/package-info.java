/** What verifying a filter and looking into it tell. */
@NullMarked
package io.github.slotbloom.report;

import org.jspecify.annotations.NullMarked;
