package io.github.slotbloom.internal.store.journal;

/**
 * A place in a filter's journal: the entry that was read last.
 *
 * @param seq its number
 * @param token its token
 */
public record Cursor(long seq, long token) {}
