package io.github.slotbloom.internal.duty;

import io.github.slotbloom.SlotBloomEvent;
import io.github.slotbloom.core.WhenFull;
import io.github.slotbloom.internal.context.FilterContext;
import io.github.slotbloom.internal.store.filter.FilterHead;
import io.github.slotbloom.internal.store.filter.FilterRecord;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reports when a filter is nearly full, and when it holds as many keys as it was made for. Each is
 * reported once, and once more after the filter grew.
 */
public final class CapacityWatch {

  private static final Logger log = LoggerFactory.getLogger(CapacityWatch.class);

  private final FilterContext context;
  private final double warnAt;
  private final AtomicLong nearlyToldCapacity = new AtomicLong();
  private final AtomicLong toldCapacity = new AtomicLong();

  /**
   * Creates a watch.
   *
   * @param warnAt the share of its capacity at which the filter counts as nearly full
   */
  public CapacityWatch(FilterContext context, double warnAt) {
    this.context = context;
    this.warnAt = warnAt;
  }

  public void heard(FilterHead head) {
    FilterRecord filter = context.filter();
    if (filter.window() != null && !filter.knows(head)) {
      // The generations of the head will be known with the next fold.
      return;
    }
    // What buckets hold that are over says nothing about the room in the newest one.
    long over = filter.capacityOfOlderBuckets();
    long keysAdded = head.keysSet() - over;
    long capacity = head.capacity() - over;
    if (keysAdded >= warnAt * capacity && nearlyToldCapacity.getAndSet(capacity) != capacity) {
      String outlook = outlook(head.whenFull());
      log.warn(
          "filter {} is nearly full, with {} keys of {}: {}",
          context.name(),
          keysAdded,
          capacity,
          outlook);
      context
          .listener()
          .on(new SlotBloomEvent.NearlyFull(context.name().value(), keysAdded, capacity, outlook));
    }
    if (isFull(head.whenFull(), keysAdded, capacity)
        && toldCapacity.getAndSet(capacity) != capacity) {
      String outlook =
          head.whenFull() == WhenFull.REFUSE
              ? "new ones are turned away"
              : "its error rate rises above " + context.filter().falsePositiveRate();
      log.warn(
          "filter {} is full: it holds {} keys of {}, so {}",
          context.name(),
          keysAdded,
          capacity,
          outlook);
      context
          .listener()
          .on(
              new SlotBloomEvent.CapacityReached(
                  context.name().value(), keysAdded, capacity, outlook));
    }
  }

  /**
   * Returns true if the filter is full. A filter that grows by itself counts as full only above its
   * capacity, since the next key makes it grow.
   */
  private static boolean isFull(WhenFull whenFull, long keys, long capacity) {
    return whenFull == WhenFull.GROW ? keys > capacity : keys >= capacity;
  }

  private String outlook(WhenFull whenFull) {
    if (context.filter().window() != null) {
      return outlookOfBucket(whenFull);
    }
    String remedy = context.filter().growable() ? "Let it grow" : "Replace it by a larger one";
    return switch (whenFull) {
      case GROW -> "it grows by itself when it is full";
      case REFUSE -> "new keys are turned away when it is full. " + remedy;
      case DEGRADE ->
          "its error rate rises above "
              + context.filter().falsePositiveRate()
              + " when it is full. "
              + remedy;
    };
  }

  private static String outlookOfBucket(WhenFull whenFull) {
    return switch (whenFull) {
      case GROW -> "its bucket grows by itself when it is full";
      case REFUSE -> "new keys are turned away until its next bucket begins";
      case DEGRADE -> "its error rate rises until its next bucket begins";
    };
  }
}
