package io.github.slotbloom.internal.duty;

import io.github.slotbloom.SlotBloomEvent;
import io.github.slotbloom.SlotBloomListener;
import io.github.slotbloom.core.OnFull;
import io.github.slotbloom.internal.context.FollowedFilter;
import io.github.slotbloom.internal.store.filter.FilterHead;
import io.github.slotbloom.internal.store.filter.FilterRecord;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reports when a filter is nearly full, and when it reaches its capacity. Each is reported once,
 * and once more after the filter grew.
 */
public final class CapacityWatch {

  private static final Logger log = LoggerFactory.getLogger(CapacityWatch.class);

  private final FollowedFilter followed;
  private final double warnAt;
  private final SlotBloomListener listener;
  private final AtomicLong nearlyToldCapacity = new AtomicLong();
  private final AtomicLong toldCapacity = new AtomicLong();

  /**
   * @param warnAt the share of its capacity at which the filter counts as nearly full
   */
  public CapacityWatch(FollowedFilter followed, double warnAt, SlotBloomListener listener) {
    this.followed = followed;
    this.warnAt = warnAt;
    this.listener = listener;
  }

  public void heard(FilterHead head) {
    FilterRecord filter = followed.now();
    if (filter.window() != null && !filter.knows(head)) {
      // The generations of the head will be known with the next fold.
      return;
    }
    // What buckets hold that are over says nothing about the room in the newest one.
    long over = filter.capacityOfOlderBuckets();
    long keysAdded = head.keysSet() - over;
    long capacity = head.capacity() - over;
    if (keysAdded >= warnAt * capacity && nearlyToldCapacity.getAndSet(capacity) != capacity) {
      String outlook = outlook(head.onFull());
      log.warn(
          "filter {} is nearly full: it holds {} of {} keys; {}",
          followed.name(),
          keysAdded,
          capacity,
          outlook);
      listener.on(
          new SlotBloomEvent.NearlyFull(followed.name().value(), keysAdded, capacity, outlook));
    }
    if (isFull(head.onFull(), keysAdded, capacity)
        && toldCapacity.getAndSet(capacity) != capacity) {
      String outlook =
          head.onFull() == OnFull.REFUSE
              ? "new keys are rejected"
              : "its false positive rate rises above " + followed.now().falsePositiveRate();
      log.warn(
          "filter {} is full: it holds {} of {} keys, so {}",
          followed.name(),
          keysAdded,
          capacity,
          outlook);
      listener.on(
          new SlotBloomEvent.CapacityReached(
              followed.name().value(), keysAdded, capacity, outlook));
    }
  }

  /**
   * Returns true if the filter is full. A filter that grows automatically counts as full only above
   * its capacity, since the next key makes it grow.
   */
  private static boolean isFull(OnFull onFull, long keys, long capacity) {
    return onFull == OnFull.GROW ? keys > capacity : keys >= capacity;
  }

  private String outlook(OnFull onFull) {
    if (followed.now().window() != null) {
      return outlookOfBucket(onFull);
    }
    String grow = "slotbloom grow " + followed.name() + " --capacity N";
    String remedy =
        followed.now().growable()
            ? "Raise its capacity (" + grow + ")"
            : "Replace it with a larger one (" + grow + " --from FILE)";
    return switch (onFull) {
      case GROW -> "it grows automatically when it is full";
      case REFUSE -> "new keys are rejected when it is full. " + remedy;
      case DEGRADE ->
          "its false positive rate rises above "
              + followed.now().falsePositiveRate()
              + " when it is full. "
              + remedy;
    };
  }

  private static String outlookOfBucket(OnFull onFull) {
    return switch (onFull) {
      case GROW -> "its bucket grows automatically when it is full";
      case REFUSE -> "new keys are rejected until its next bucket begins";
      case DEGRADE -> "its false positive rate rises until its next bucket begins";
    };
  }
}
