package io.github.slotbloom.internal.mirror;

import io.github.slotbloom.SlotBloomEvent;
import io.github.slotbloom.SlotBloomListener;
import io.github.slotbloom.core.FilterName;
import io.github.slotbloom.error.MirrorTooLargeException;
import io.github.slotbloom.internal.background.Background;
import io.github.slotbloom.internal.store.filter.Cursor;
import io.github.slotbloom.internal.store.filter.FilterHead;
import io.github.slotbloom.internal.store.filter.FilterRecord;
import io.github.slotbloom.internal.store.filter.FilterState;
import io.github.slotbloom.internal.store.journal.Tail;
import io.github.slotbloom.internal.store.journal.TailReader;
import io.github.slotbloom.internal.store.session.KeptSession;
import io.github.slotbloom.internal.store.session.Servers;
import io.github.slotbloom.internal.time.Moment;
import io.github.slotbloom.internal.time.TimeSource;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A copy of one filter in the memory of one process. It follows the writes of all processes.
 *
 * <p>One read of the filter runs at a time. It brings in the tail of the journal, or loads the
 * whole filter again if the tail does not continue the copy. {@link QuietMirrors} finds out for
 * many mirrors that there is nothing to bring in. The time of a read is taken before the read is
 * sent, and is published after its rows are applied. So a caller must ask for the age of the mirror
 * before it looks at the bits. Thread-safe.
 */
public final class Mirror implements QuietMirrors.Member {

  private static final Logger log = LoggerFactory.getLogger(Mirror.class);

  /** The longest time that loading a filter may take in all, however long its caller waits. */
  public static final Duration LONGEST_LOAD = Duration.ofHours(1);

  private static final CompletableFuture<Void> UP_TO_DATE = CompletableFuture.completedFuture(null);

  private static final String CLEARED = "it was cleared";

  private final FilterRecord filter;
  private final FilterName name;
  private final long leaseNanos;
  private final Servers servers;
  private final KeptSession session;
  private final MirrorLoader loader;
  private final TimeSource time;
  private final SlotBloomListener listener;
  private final Runnable beforeLoad;
  private final LongSupplier bucket;
  private final QuietMirrors quietMirrors;
  private final SharedRead<Mirror> read;
  private final LastHeard heard;

  private volatile @Nullable Image image;

  /** True if the last read found nothing new, so that the next may find nothing either. */
  private volatile boolean quiet;

  /**
   * Creates a mirror without bits.
   *
   * @param beforeLoad runs before each load of the bits, including the first; an exception from it
   *     fails the load
   * @param bucket returns the bucket that the database clock is in, or an earlier one
   */
  public Mirror(
      FilterRecord filter,
      Servers servers,
      QuietMirrors quietMirrors,
      Background background,
      TimeSource time,
      SlotBloomListener listener,
      Runnable beforeLoad,
      LongSupplier bucket) {
    this.filter = filter;
    this.name = filter.name();
    this.leaseNanos = filter.lease().toNanos();
    this.servers = servers;
    this.session = servers.primary().keptSession(time::nanoTime);
    this.loader = new MirrorLoader(servers.primary(), background, time);
    this.time = time;
    this.listener = listener;
    this.beforeLoad = beforeLoad;
    this.bucket = bucket;
    this.quietMirrors = quietMirrors;
    this.read =
        new SharedRead<>(
            "reading new journal entries of filter " + name,
            background,
            alone -> {
              readTail();
              return itself -> UP_TO_DATE;
            },
            session::close);
    this.heard = new LastHeard(time);
  }

  /** Returns the bits, or null while they are being loaded. */
  public @Nullable Image image() {
    return image;
  }

  /**
   * Returns the highest possible age of the knowledge about other processes' writes, in
   * nanoseconds. Ask before looking at the bits.
   */
  public long ageNanos() {
    return heard.atMostNanos();
  }

  public Duration age() {
    return heard.age();
  }

  /**
   * Makes up for a wall clock that was set back, so that the mirror never seems younger than it is,
   * and finds keys no more that have expired. Must be called often.
   */
  public void tick() {
    heard.compareClocks();
    expire();
  }

  /** Finds keys no more that have expired by the database clock. */
  public void expire() {
    Image current = image;
    if (current != null) {
      current.expire(bucket.getAsLong());
    }
  }

  /**
   * Returns true if the lease allows answers from the bits. A clear waits for one lease before it
   * returns. Ask before looking at the bits.
   */
  public boolean leased() {
    return ageNanos() < leaseNanos;
  }

  /**
   * Starts or joins a refresh. The future completes when the mirror has everything that was
   * committed before this call, or completes exceptionally.
   */
  public CompletableFuture<Void> refresh() {
    return quiet ? quietMirrors.refresh(this) : read.join(this);
  }

  @Override
  public long filterId() {
    return filter.id();
  }

  @Override
  public CompletableFuture<Void> onEnd(TailReader.@Nullable End end, Moment begun) {
    Image current = image;
    if (current != null
        && end != null
        && end.name().equals(name.value())
        && end.cursor().equals(current.cursor())) {
      hear(begun);
      return UP_TO_DATE;
    }
    noLongerQuiet();
    return read.join(this);
  }

  @Override
  public void noLongerQuiet() {
    quiet = false;
  }

  /**
   * Takes in the result of a poll over many filters if it matches the mirror, and otherwise begins
   * a refresh.
   */
  public void onPulse(FilterHead head, Moment begun) {
    Image current = image;
    if (current != null
        && head.state() == FilterState.ACTIVE
        && head.end().equals(current.cursor())) {
      hear(begun);
    } else {
      // Callers that wait for the outcome hear of a failure. Here the next pulse follows in any
      // case.
      CompletableFuture<Void> unused = read.join(this);
    }
  }

  /**
   * Records that the mirror had everything that was committed by that moment. What the lease allows
   * from then on says nothing of keys that expired before.
   */
  public void hear(Moment begun) {
    expire();
    heard.hear(begun);
  }

  private void readTail() {
    Moment begun = time.now();
    Image current = image;
    String broken = current == null ? "" : follow(current);
    if (broken != null) {
      // Loading borrows connections of its own, as a listener may, and the pool may have no other.
      session.close();
      if (current != null) {
        if (broken.equals(CLEARED)) {
          log.info("filter {} was cleared", name);
        } else {
          log.warn("the mirror of filter {} is reloaded: {}", name, broken);
        }
        listener.on(new SlotBloomEvent.Reloading(name.value(), broken));
        image = null;
      }
      beforeLoad.run();
      Image loaded = loader.load(filter);
      loaded.expire(bucket.getAsLong());
      image = loaded;
    }
    hear(begun);
  }

  /**
   * Brings the image to the end of the journal. Returns the reason if that is impossible, or null.
   */
  private @Nullable String follow(Image current) {
    while (true) {
      Tail tail =
          servers
              .read(session, tx -> TailReader.tail(tx, filter, current.cursor().seq()))
              .orElseThrow(() -> FilterNotReady.gone(filter));
      FilterHead head = tail.head();
      quiet = tail.entries().isEmpty();
      FilterNotReady.requireActive(name, head);
      try {
        if (!current.apply(tail.entries())) {
          return tail.entries().stream().anyMatch(current::isClearedBy)
              ? CLEARED
              : rewritten(current, head);
        }
      } catch (MirrorTooLargeException e) {
        // Later entries may have made the filter smaller, so the filter is loaded in its current
        // state.
        return e.getMessage();
      }
      Cursor reached = current.cursor();
      if (reached.seq() < head.lastSeq() && !tail.entries().isEmpty()) {
        continue;
      }
      // The writer of this process may have moved the cursor beyond the head that was read.
      boolean complete =
          reached.equals(head.end())
              || (reached.seq() > head.lastSeq() && tail.after() <= head.lastSeq());
      return complete ? null : rewritten(current, head);
    }
  }

  private static String rewritten(Image current, FilterHead head) {
    return "its journal, which ends at entry "
        + head.lastSeq()
        + ", does not continue entry "
        + current.cursor().seq()
        + ", which was read before: entries were trimmed, lost in a failover, or restored from a"
        + " backup";
  }
}
