package io.github.slotbloom.internal.engine;

import io.github.slotbloom.SlotBloomListener;
import io.github.slotbloom.internal.background.Background;
import io.github.slotbloom.internal.context.ServerWatch;
import io.github.slotbloom.internal.mirror.Mirror;
import io.github.slotbloom.internal.mirror.QuietMirrors;
import io.github.slotbloom.internal.store.filter.FilterRecord;
import io.github.slotbloom.internal.store.session.Database;
import io.github.slotbloom.internal.store.session.Servers;
import io.github.slotbloom.internal.time.TimeSource;

/**
 * What all filters of a process share, for those who make the parts of one. No part gets all of it.
 */
record ProcessParts(
    Servers servers,
    QuietMirrors quietMirrors,
    ServerWatch server,
    TimeSource time,
    SlotBloomListener listener,
    Background io) {

  Database database() {
    return servers.primary();
  }

  /** Returns a mirror without bits, as {@link Mirror#Mirror} does. */
  Mirror mirror(FilterRecord filter, Runnable beforeLoad) {
    return new Mirror(
        filter,
        servers,
        quietMirrors,
        io,
        time,
        listener,
        beforeLoad,
        () -> server.clock().bucketAtLeast(filter.window()));
  }
}
