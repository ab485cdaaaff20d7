package io.github.slotbloom.internal.membership;

import io.github.slotbloom.core.BloomParameters;
import io.github.slotbloom.error.FilterUnavailableException;
import io.github.slotbloom.error.MirrorTooLargeException;
import io.github.slotbloom.error.ReplacementException;
import io.github.slotbloom.internal.context.Waiting;
import io.github.slotbloom.internal.mirror.Image;
import io.github.slotbloom.internal.mirror.Mirror;
import io.github.slotbloom.internal.mirror.MirrorRoom;
import io.github.slotbloom.internal.store.filter.FilterRecord;
import io.github.slotbloom.internal.store.filter.GenerationRecord;
import io.github.slotbloom.internal.time.Deadline;
import io.github.slotbloom.internal.time.TimeSource;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Looks up many keys in a filter, such as those of a source from which it is being replaced. It
 * uses memory, into which the slots are read once, or the tables if memory cannot hold the slots.
 * Not thread-safe.
 */
public final class SourceLookup {

  private static final Logger log = LoggerFactory.getLogger(SourceLookup.class);

  /** The rest of the heap serves to count the distinct keys and to gather folds. */
  private static final int SHARE_OF_HEAP = 2;

  private final FilterRecord filter;
  private final Mirror mirror;
  private final DirectKeys tables;
  private final TimeSource time;
  private boolean inMemory;

  public SourceLookup(FilterRecord filter, Mirror mirror, DirectKeys tables, TimeSource time) {
    this.filter = filter;
    this.mirror = mirror;
    this.tables = tables;
    this.time = time;
  }

  /**
   * Reads the filter into memory if there is room for it.
   *
   * @param timeout how long failed reads are tried again
   * @throws FilterUnavailableException if the database could not be read
   */
  public void load(Duration timeout) {
    List<BloomParameters> shapes =
        filter.manifest().all().stream().map(GenerationRecord::parameters).toList();
    inMemory =
        MirrorRoom.bytes(shapes) <= Runtime.getRuntime().maxMemory() / SHARE_OF_HEAP
            && refresh(timeout);
  }

  /** Returns false if memory turns out not to hold the filter. */
  private boolean refresh(Duration timeout) {
    try {
      new Waiting(filter.name())
          .forLongOutcome(
              mirror::refresh,
              Deadline.in(time, Mirror.LONGEST_LOAD),
              Deadline.in(time, timeout),
              (failure, attempt) -> {});
      return true;
    } catch (MirrorTooLargeException e) {
      log.debug("looking up keys in the tables of filter {}", filter.name(), e);
      return false;
    }
  }

  /**
   * Returns what the filter holds of some keys, whether or not they are removed, including all keys
   * added before this call by any process.
   *
   * @throws FilterUnavailableException if that could not be found out in time
   * @throws ReplacementException if no generation is being filled anymore
   */
  public SourceKeys find(long[] hashes, Duration timeout) {
    inMemory = inMemory && refresh(timeout);
    return inMemory ? inMemory(hashes) : tables.sourceKeys(hashes, Deadline.in(time, timeout));
  }

  private SourceKeys inMemory(long[] hashes) {
    Image image = Objects.requireNonNull(mirror.image());
    Membership held = Membership.in(image.arrays(), hashes, false, null);
    return SourceKeys.of(filter.name(), held, image.cursor());
  }
}
