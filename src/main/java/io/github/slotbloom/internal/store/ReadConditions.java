package io.github.slotbloom.internal.store;

/**
 * Expressions of SQL that must be true for a read to be trusted. Each read that is trusted carries
 * them.
 *
 * @param server true if the server is one that may answer, as far as it can be known
 * @param session true if the session waits, before it reads, for all that the group has committed.
 *     One that does not may read old data from a server that was the primary before
 */
public record ReadConditions(String server, String session) {}
