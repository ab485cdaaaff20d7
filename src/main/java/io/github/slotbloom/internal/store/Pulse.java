package io.github.slotbloom.internal.store;

import io.github.slotbloom.internal.store.catalog.FilterHead;

/**
 * What a poll over many filters reads of one.
 *
 * @param head the changing part of the catalog row
 * @param foldedSeq entries up to this one are in the slots
 * @param server which one answered, as {@link ServerSettings#server}
 */
public record Pulse(FilterHead head, long foldedSeq, String server) {}
