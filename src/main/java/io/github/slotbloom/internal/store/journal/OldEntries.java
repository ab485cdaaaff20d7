package io.github.slotbloom.internal.store.journal;

/**
 * The oldest entries of a journal that may be deleted.
 *
 * @param first number of the oldest entry
 * @param last number of the newest entry among them
 * @param rows number of entries, without gaps
 * @param payloadBytes bytes of all their payloads
 * @param more true if a limit ended the search
 */
public record OldEntries(long first, long last, int rows, long payloadBytes, boolean more) {}
