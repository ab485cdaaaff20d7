package io.github.slotbloom.store;

/**
 * A place in a filter's journal: the entry that was read last.
 *
 * @param seq its number
 * @param token its token
 */
public record Cursor(long seq, long token) {}
