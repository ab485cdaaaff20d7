package io.github.slotbloom.engine;

import io.github.slotbloom.store.FilterHead;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Tells that a filter holds as many keys as it was made for: once, and once more after it grew. */
final class CapacityWatch {

  private static final Logger log = LoggerFactory.getLogger(CapacityWatch.class);

  private final FilterContext context;
  private final AtomicLong toldCapacity = new AtomicLong();

  CapacityWatch(FilterContext context) {
    this.context = context;
  }

  void heard(FilterHead head) {
    long keysAdded = head.keysAdded();
    long capacity = head.capacity();
    if (keysAdded >= capacity && toldCapacity.getAndSet(capacity) != capacity) {
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
