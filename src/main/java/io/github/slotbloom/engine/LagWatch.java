package io.github.slotbloom.engine;

import java.time.Duration;

/** Tells when nothing was heard of the database for long, once each time. Used by one thread. */
final class LagWatch {

  private final FilterContext context;
  private boolean lagging;

  LagWatch(FilterContext context) {
    this.context = context;
  }

  void check(Duration age) {
    boolean late = age.compareTo(context.filter().lease().multipliedBy(2)) > 0;
    if (late && !lagging) {
      context.listener().lagging(context.name(), age);
    }
    lagging = late;
  }
}
