package io.github.slotbloom.engine;

import io.github.slotbloom.store.Cursor;

/**
 * Which keys the generation lacks that is being filled.
 *
 * @param lacking an answer for each key
 * @param end of the journal, read afterwards: as long as the journal holds that entry, no failover
 *     has lost what was seen
 */
@SuppressWarnings("ArrayRecordComponent") // handed on at once, never compared
public record Lacking(boolean[] lacking, Cursor end) {}
