package io.github.slotbloom.internal.store.journal;

import io.github.slotbloom.internal.store.filter.FilterHead;
import io.github.slotbloom.internal.store.session.ServerSettings;

/**
 * The data that a poll over many filters reads about one filter.
 *
 * @param foldedSeq entries up to this one are in the slots
 * @param clockMicros what the database clock said, in microseconds since the start of 1970
 * @param server the server that answered, as in {@link ServerSettings#server}
 */
public record Pulse(
    String name, FilterHead head, long foldedSeq, long clockMicros, String server) {}
