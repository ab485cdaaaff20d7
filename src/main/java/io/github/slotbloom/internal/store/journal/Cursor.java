package io.github.slotbloom.internal.store.journal;

/**
 * A place in a filter's journal: the last entry that was read.
 *
 * @param seq number of that entry
 * @param token token of that entry
 */
public record Cursor(long seq, long token) {}
