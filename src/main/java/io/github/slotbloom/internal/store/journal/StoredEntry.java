package io.github.slotbloom.internal.store.journal;

import org.jspecify.annotations.Nullable;

/**
 * A row of a journal as it is, whether it can be read or not.
 *
 * @param seq its number
 * @param token its token
 * @param previousToken token of the entry before
 * @param entry what it says; null if it cannot be read
 * @param fault why it cannot be read; null if it can
 */
public record StoredEntry(
    long seq,
    long token,
    long previousToken,
    @Nullable JournalEntry entry,
    @Nullable String fault) {}
