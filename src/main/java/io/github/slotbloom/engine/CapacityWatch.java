package io.github.slotbloom.engine;

import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Tells once that a filter holds as many keys as it was made for. */
final class CapacityWatch {

  private static final Logger log = LoggerFactory.getLogger(CapacityWatch.class);

  private final FilterContext context;
  private final AtomicBoolean told = new AtomicBoolean();

  CapacityWatch(FilterContext context) {
    this.context = context;
  }

  void added(long keysAdded) {
    long capacity = context.filter().capacity();
    if (keysAdded >= capacity && told.compareAndSet(false, true)) {
      log.warn(
          "filter {} is full: it holds {} keys of {}, so its error rate rises above {}",
          context.name(),
          keysAdded,
          capacity,
          context.filter().falsePositiveRate());
      context.listener().capacityReached(context.name(), keysAdded, capacity);
    }
  }
}
