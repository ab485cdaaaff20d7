package io.github.slotbloom.engine;

import org.jspecify.annotations.Nullable;

/**
 * What the generations of a filter hold of some keys.
 *
 * @param present for each key, whether a generation that answers holds it
 * @param lacking for each key, whether the generation that is being filled lacks it; null if none
 *     is
 */
@SuppressWarnings("ArrayRecordComponent") // handed on at once, never compared
record Held(boolean[] present, boolean @Nullable [] lacking) {}
