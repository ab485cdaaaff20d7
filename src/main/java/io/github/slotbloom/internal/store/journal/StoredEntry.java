package io.github.slotbloom.internal.store.journal;

import org.jspecify.annotations.Nullable;

/**
 * A row of a journal as it is stored, readable or not.
 *
 * @param entry the decoded entry; null if it cannot be read
 * @param fault the reason why it cannot be read; null if it can
 */
public record StoredEntry(
    long seq,
    long token,
    long previousToken,
    @Nullable JournalEntry entry,
    @Nullable String fault) {}
