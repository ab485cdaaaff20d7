/**
 * How a question is answered: from the mirror where there is one, else from the tables. Internal.
 */
@NullMarked
package io.github.slotbloom.internal.ask;

import org.jspecify.annotations.NullMarked;
