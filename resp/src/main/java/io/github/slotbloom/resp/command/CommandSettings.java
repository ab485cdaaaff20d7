package io.github.slotbloom.resp.command;

/**
 * What the commands need to know of how the server was started.
 *
 * @param defaultCapacity keys of a filter that is created because a key is added to it
 * @param allowFlush false if nobody may drop all filters at once
 * @param mostQueuedBytes about how much memory the requests between MULTI and EXEC may take
 */
public record CommandSettings(long defaultCapacity, boolean allowFlush, long mostQueuedBytes) {}
