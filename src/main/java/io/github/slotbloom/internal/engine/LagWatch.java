package io.github.slotbloom.internal.engine;

import io.github.slotbloom.SlotBloomEvent;
import io.github.slotbloom.SlotBloomListener;
import io.github.slotbloom.core.FilterName;
import java.time.Duration;

/** Reports when nothing was heard of the database for long, once each time. Used by one thread. */
final class LagWatch {

  private final FilterName filter;
  private final Duration tooLong;
  private final SlotBloomListener listener;
  private boolean lagging;

  LagWatch(FilterName filter, Duration lease, SlotBloomListener listener) {
    this.filter = filter;
    this.tooLong = lease.multipliedBy(2);
    this.listener = listener;
  }

  void check(Duration age) {
    boolean late = age.compareTo(tooLong) > 0;
    if (late && !lagging) {
      listener.on(new SlotBloomEvent.Lagging(filter.value(), age));
    }
    lagging = late;
  }
}
