/** The journal, the hashes that outlive it, and how far it is folded. Internal. */
@NullMarked
package io.github.slotbloom.internal.store.journal;

import org.jspecify.annotations.NullMarked;
