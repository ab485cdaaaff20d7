package io.github.slotbloom.internal.store.journal;

/**
 * The oldest entries of a journal that may leave it.
 *
 * @param first number of the oldest one
 * @param last number of the youngest one
 * @param rows how many there are, without gaps
 * @param payloadBytes what their payloads hold together
 * @param more whether it was the limit that ended them
 */
public record OldEntries(long first, long last, int rows, long payloadBytes, boolean more) {}
