package io.github.slotbloom.internal.mirror;

import io.github.slotbloom.SlotBloomListener;
import io.github.slotbloom.core.FilterName;
import io.github.slotbloom.error.MirrorTooLargeException;
import io.github.slotbloom.internal.background.Background;
import io.github.slotbloom.internal.store.Database;
import io.github.slotbloom.internal.store.catalog.FilterHead;
import io.github.slotbloom.internal.store.catalog.FilterRecord;
import io.github.slotbloom.internal.store.catalog.FilterState;
import io.github.slotbloom.internal.store.catalog.StoredFormat;
import io.github.slotbloom.internal.store.journal.Cursor;
import io.github.slotbloom.internal.store.journal.Tail;
import io.github.slotbloom.internal.store.journal.TailReader;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One filter in the memory of one process, kept up with what all processes write.
 *
 * <p>Reads are serial: one shared read at a time brings in the tail of the journal, or loads
 * everything anew when the tail does not continue what is here. A read's time counts from before it
 * was sent, and is published after its rows are applied; who asks how old the mirror is must
 * therefore ask before looking at the bits. Thread-safe.
 */
public final class Mirror {

  private static final Logger log = LoggerFactory.getLogger(Mirror.class);

  /** How long loading a filter may take in all, however long its caller waits. */
  public static final Duration LONGEST_LOAD = Duration.ofHours(1);

  private static final String CLEARED = "it was cleared";

  private final FilterRecord filter;
  private final FilterName name;
  private final long leaseNanos;
  private final Database database;
  private final MirrorLoader loader;
  private final TimeSource time;
  private final SlotBloomListener listener;
  private final Runnable beforeLoad;
  private final SharedRead refresh;
  private final LastHeard heard;

  private volatile @Nullable Image image;

  /**
   * Whether the last read found nothing new, so that the next may find nothing either. Used by the
   * shared read alone.
   */
  private boolean quiet;

  /**
   * @param beforeLoad runs before the bits are loaded, for the first time too; what it throws fails
   *     the load
   */
  public Mirror(
      FilterRecord filter,
      Database database,
      Background background,
      TimeSource time,
      SlotBloomListener listener,
      Runnable beforeLoad) {
    this.filter = filter;
    this.name = filter.name();
    this.leaseNanos = filter.lease().toNanos();
    this.database = database;
    this.loader = new MirrorLoader(database, background);
    this.time = time;
    this.listener = listener;
    this.beforeLoad = beforeLoad;
    this.refresh =
        new SharedRead("reading what others added to filter " + name, background, this::readTail);
    this.heard = new LastHeard(time);
  }

  /** The bits; null while they are being loaded. */
  public @Nullable Image image() {
    return image;
  }

  /** How old the knowledge of what others wrote is, at most. Ask before looking at the bits. */
  public long ageNanos() {
    return heard.atMostNanos();
  }

  public Duration age() {
    return heard.age();
  }

  /** To be called often: a wall clock that is set back makes nothing younger than it is. */
  public void compareClocks() {
    heard.compareClocks();
  }

  /**
   * Whether the bits may be answered from: a clear waits for a lease before it returns. Ask before
   * looking at the bits.
   */
  public boolean leased() {
    return ageNanos() < leaseNanos;
  }

  /**
   * Completes when everything that was committed before this call is in the mirror, or
   * exceptionally.
   */
  public CompletableFuture<Void> refresh() {
    return refresh.join();
  }

  /**
   * Takes in what a poll over many filters saw, if that is what the mirror holds; otherwise begins
   * a refresh.
   */
  public void onPulse(FilterHead head, Moment begun) {
    Image current = image;
    if (current != null
        && head.state() == FilterState.ACTIVE
        && head.formatVersion() <= StoredFormat.NEWEST
        && head.epoch() == current.epoch()
        && head.end().equals(current.cursor())) {
      hear(begun);
    } else {
      // Whoever waits for the outcome hears of it; here the next pulse comes anyway.
      CompletableFuture<Void> unused = refresh();
    }
  }

  /** Says that the mirror held everything that was committed by then. */
  public void hear(Moment begun) {
    heard.hear(begun);
  }

  private void readTail() {
    Moment begun = time.now();
    Image current = image;
    String broken = current == null ? "" : follow(current);
    if (broken != null) {
      if (current != null) {
        if (broken.equals(CLEARED)) {
          log.info("filter {} was cleared", name);
        } else {
          log.warn("the mirror of filter {} is loaded anew: {}", name, broken);
        }
        listener.reloading(name.value(), broken);
        image = null;
      }
      beforeLoad.run();
      image = loader.load(filter);
    }
    hear(begun);
  }

  /** Brings the image to the end of the journal. Returns why it cannot be, or null. */
  private @Nullable String follow(Image current) {
    if (quiet && stillEndsAt(current)) {
      return null;
    }
    while (true) {
      Tail tail =
          database
              .read(tx -> TailReader.tail(tx, filter, current.cursor().seq()))
              .orElseThrow(() -> FilterNotReady.gone(name));
      FilterHead head = tail.head();
      quiet = tail.entries().isEmpty();
      if (head.state() != FilterState.ACTIVE) {
        throw FilterNotReady.in(name, head.state());
      }
      if (head.epoch() > current.epoch()) {
        return CLEARED;
      }
      if (head.epoch() < current.epoch()) {
        return "it is in epoch "
            + head.epoch()
            + " again, after epoch "
            + current.epoch()
            + ": a clear was lost in a failover, or an older backup was restored";
      }
      try {
        if (!current.apply(tail.entries())) {
          return rewritten(current, head);
        }
      } catch (MirrorTooLargeException e) {
        // What comes after the entry may have made the filter smaller: what it is now is loaded.
        return e.getMessage();
      }
      Cursor reached = current.cursor();
      if (reached.seq() < head.lastSeq() && !tail.entries().isEmpty()) {
        continue;
      }
      // The writer of this process may have moved the cursor on, beyond the head that was read.
      boolean complete =
          reached.equals(head.end())
              || (reached.seq() > head.lastSeq() && tail.after() <= head.lastSeq());
      return complete ? null : rewritten(current, head);
    }
  }

  private boolean stillEndsAt(Image current) {
    return database.read(tx -> TailReader.endsAt(tx, filter, current.epoch(), current.cursor()));
  }

  private static String rewritten(Image current, FilterHead head) {
    return "its journal, which ends at entry "
        + head.lastSeq()
        + ", does not continue entry "
        + current.cursor().seq()
        + " that was read before: entries were trimmed, lost in a failover, or restored from a backup";
  }
}
