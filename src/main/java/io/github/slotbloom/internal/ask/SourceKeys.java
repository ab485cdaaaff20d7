package io.github.slotbloom.internal.ask;

import io.github.slotbloom.internal.store.journal.Cursor;

/**
 * What a filter that is being replaced holds of some keys of the source.
 *
 * @param before for each key, whether a generation holds it that is to be replaced
 * @param lacking for each key, whether the generation lacks it that is being filled
 * @param end of the journal, read afterwards: as long as the journal holds that entry, no failover
 *     has lost what was seen
 */
@SuppressWarnings("ArrayRecordComponent") // handed on at once, never compared
public record SourceKeys(boolean[] before, boolean[] lacking, Cursor end) {}
