/** Answers lookups: from the mirror if there is one, otherwise from the tables. Internal. */
@NullMarked
package io.github.slotbloom.internal.ask;

import org.jspecify.annotations.NullMarked;
