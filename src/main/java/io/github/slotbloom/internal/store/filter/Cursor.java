package io.github.slotbloom.internal.store.filter;

/** A place in a filter's journal: the last entry that was read. */
public record Cursor(long seq, long token) {}
