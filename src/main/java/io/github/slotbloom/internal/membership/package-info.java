/** Answers lookups: from the mirror if there is one, otherwise from the tables. Internal. */
@NullMarked
package io.github.slotbloom.internal.membership;

import org.jspecify.annotations.NullMarked;
