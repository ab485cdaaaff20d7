package io.github.slotbloom.internal.store.session;

/**
 * Expressions of SQL that must be true for a session to be trusted. What is trusted carries them.
 *
 * @param server true if the server is one that may answer, as far as it can be known
 * @param waits true if the session waits, before it reads, for all that the group has committed.
 *     One that does not may read old data from a server that was the primary before
 * @param writes true if the server takes writes, and what the session writes reaches the others.
 *     Reads no table
 */
public record SessionConditions(String server, String waits, String writes) {}
