package io.github.slotbloom.internal.ask;

import io.github.slotbloom.core.BloomParameters;
import io.github.slotbloom.error.FilterUnavailableException;
import io.github.slotbloom.error.MirrorTooLargeException;
import io.github.slotbloom.error.ReplacementException;
import io.github.slotbloom.internal.context.FilterContext;
import io.github.slotbloom.internal.context.Waiting;
import io.github.slotbloom.internal.mirror.Image;
import io.github.slotbloom.internal.mirror.Mirror;
import io.github.slotbloom.internal.mirror.MirrorRoom;
import io.github.slotbloom.internal.store.filter.GenerationRecord;
import io.github.slotbloom.internal.time.Deadline;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
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

  private final FilterContext context;
  private final Waiting waiting;
  private final DirectKeys tables;
  private @Nullable Mirror mirror;

  public SourceLookup(FilterContext context) {
    this.context = context;
    waiting = new Waiting(context.name());
    tables = new DirectKeys(context);
  }

  /**
   * Reads the filter into memory if there is room for it.
   *
   * @param timeout how long failed reads are tried again
   * @throws FilterUnavailableException if the database could not be read
   */
  public void load(Duration timeout) {
    List<BloomParameters> shapes =
        context.filter().set().all().stream().map(GenerationRecord::parameters).toList();
    if (MirrorRoom.bytes(shapes) > Runtime.getRuntime().maxMemory() / SHARE_OF_HEAP) {
      return;
    }
    Mirror loading = context.mirror(() -> {});
    mirror = refresh(loading, timeout) ? loading : null;
  }

  /** Returns false if memory turns out not to hold the filter. */
  private boolean refresh(Mirror mirror, Duration timeout) {
    try {
      waiting.forLongOutcome(
          mirror::refresh,
          Deadline.in(context.time(), Mirror.LONGEST_LOAD),
          Deadline.in(context.time(), timeout),
          (failure, attempt) -> {});
      return true;
    } catch (MirrorTooLargeException e) {
      log.debug("filter {} is looked up in its tables", context.name(), e);
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
    if (mirror != null && !refresh(mirror, timeout)) {
      mirror = null;
    }
    return mirror == null
        ? tables.sourceKeys(hashes, Deadline.in(context.time(), timeout))
        : inMemory(mirror, hashes);
  }

  private static boolean[] haveBits(Image image, long[] hashes) {
    boolean[] have = new boolean[hashes.length];
    image.arrays().haveBits(hashes, 0, hashes.length, have);
    return have;
  }

  private SourceKeys inMemory(Mirror mirror, long[] hashes) {
    Image image = Objects.requireNonNull(mirror.image());
    return SourceKeys.of(
        context.name(), haveBits(image, hashes), image.arrays().lacking(hashes), image.cursor());
  }
}
