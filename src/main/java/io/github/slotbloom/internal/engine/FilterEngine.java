package io.github.slotbloom.internal.engine;

import io.github.slotbloom.BloomFilter;
import io.github.slotbloom.FilterOptions;
import io.github.slotbloom.SlotBloomEvent;
import io.github.slotbloom.core.FilterName;
import io.github.slotbloom.internal.add.FilterWriter;
import io.github.slotbloom.internal.add.WriteQueue;
import io.github.slotbloom.internal.add.WritesInCallerTransaction;
import io.github.slotbloom.internal.context.FollowedFilter;
import io.github.slotbloom.internal.context.Waiting;
import io.github.slotbloom.internal.duty.CapacityWatch;
import io.github.slotbloom.internal.duty.Duties;
import io.github.slotbloom.internal.duty.GenerationMaker;
import io.github.slotbloom.internal.duty.Rotation;
import io.github.slotbloom.internal.duty.SelfGrowth;
import io.github.slotbloom.internal.duty.SelfRotation;
import io.github.slotbloom.internal.failure.Failures;
import io.github.slotbloom.internal.fold.Backlog;
import io.github.slotbloom.internal.fold.Folder;
import io.github.slotbloom.internal.fold.Trimmer;
import io.github.slotbloom.internal.membership.DirectKeys;
import io.github.slotbloom.internal.membership.KnownKeys;
import io.github.slotbloom.internal.membership.MirroredKeys;
import io.github.slotbloom.internal.membership.RescuedKeys;
import io.github.slotbloom.internal.mirror.Image;
import io.github.slotbloom.internal.mirror.Mirror;
import io.github.slotbloom.internal.store.filter.FilterHead;
import io.github.slotbloom.internal.store.filter.FilterRecord;
import io.github.slotbloom.internal.store.journal.Pulse;
import io.github.slotbloom.internal.time.Deadline;
import io.github.slotbloom.internal.time.Moment;
import io.github.slotbloom.report.CurrentFalsePositiveRate;
import io.github.slotbloom.report.ProcessStatistics;
import io.github.slotbloom.report.ProcessStatistics.MirrorState;
import java.sql.Connection;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Runs one filter that this process has open: adds hashes, and answers lookups about them.
 * Thread-safe.
 */
public final class FilterEngine {

  private final FollowedFilter followed;
  private final FilterOptions options;
  private final ProcessParts parts;

  /** The bound on the age of answers. It is never longer than the lease, so no answer is older. */
  private final Duration bound;

  private final @Nullable Mirror mirror;
  private final KnownKeys keys;
  private final Backlog backlog;
  private final Folder folder;
  private final Duties duties;
  private final WriteQueue queue;
  private final QueuedWrites writes;
  private final Lookups lookups;
  private final Trimmer trimmer;
  private final SelfRebuild rebuild;
  private final ExpiryWatch expiry;
  private final Tally tally = new Tally();
  private final UsageRecorder recorder;
  private volatile boolean addedByCallers;
  private volatile FilterHead heard;
  private volatile boolean closed;
  private boolean lagging;

  FilterEngine(
      FilterRecord filter,
      FilterOptions options,
      ProcessParts parts,
      GenerationMaker generations,
      Rebuilder rebuilder,
      Consumer<FilterName> expired) {
    this.followed = new FollowedFilter(filter);
    this.options = options;
    this.parts = parts;
    heard = filter.head();
    Duration lease = filter.lease();
    Duration wanted = options.freshness().bound();
    bound = wanted.compareTo(lease) < 0 ? wanted : lease;
    if (options.mirrored()) {
      mirror = parts.mirror(filter, () -> parts.server().read(filter.id()));
      keys = new MirroredKeys(followed, mirror, parts.server(), bound);
    } else {
      mirror = null;
      keys = new DirectKeys(followed, parts.servers(), parts.io(), parts.server().clock());
    }
    backlog = new Backlog(options.backlogLimit());
    folder = new Folder(followed, backlog, parts.database(), parts.io(), parts.time());
    trimmer = new Trimmer(followed, parts.database(), parts.io(), parts.time());
    duties =
        new Duties(
            new CapacityWatch(followed, options.warnAt(), parts.listener()),
            new SelfGrowth(
                followed, generations, options, parts.io(), parts.time(), parts.listener()),
            new SelfRotation(
                followed,
                generations,
                parts.io(),
                parts.time(),
                parts.listener(),
                trimmer::sweepSoon));
    queue =
        new WriteQueue(
            filter.name(),
            options.queueCapacity(),
            BloomFilter.MAX_KEYS_PER_TRANSACTION,
            new FilterWriter(
                followed,
                parts.database().keptSession(parts.time()::nanoTime),
                parts.server(),
                keys,
                folder,
                duties,
                parts.listener()),
            parts.io());
    writes =
        new QueuedWrites(
            filter, keys, queue, tally, parts.listener(), this::deadline, this::requireOpen);
    lookups =
        new Lookups(
            keys,
            new RescuedKeys(followed, parts.database(), parts.io()),
            options.whenUnavailable(),
            tally,
            this::deadline,
            this::requireOpen);
    rebuild = new SelfRebuild(followed, rebuilder, parts.io(), parts.time());
    expiry = new ExpiryWatch(filter, parts.database(), parts.io(), parts.listener(), expired);
    recorder = new UsageRecorder(followed, tally, parts.database(), parts.io(), parts.time());
  }

  /**
   * Loads the mirror, if there is one. This takes as long as reading the slots does, but not longer
   * than the timeout if every attempt fails.
   */
  void load() {
    new Waiting(followed.name())
        .forLongOutcome(
            keys::refresh,
            Deadline.in(parts.time(), Mirror.LONGEST_LOAD),
            deadline(),
            (failure, attempt) -> {
              if (failure instanceof Exception reason) {
                parts
                    .listener()
                    .on(new SlotBloomEvent.Retrying(followed.name().value(), attempt, reason));
              }
            });
    readClock();
    FilterHead head = followed.now().head();
    duties.capacity().heard(head);
    duties.growth().awaitIfOverfull(head, deadline());
  }

  /** Otherwise keys that expired would be found until the first pulse. */
  private void readClock() {
    if (followed.now().window() == null) {
      return;
    }
    new Waiting(followed.name())
        .forOutcome(() -> parts.io().run(parts.server()::readClock), deadline());
    if (mirror != null) {
      mirror.expire();
    }
  }

  private Deadline deadline() {
    return Deadline.in(parts.time(), options.timeout());
  }

  /**
   * Returns true if a record is of the filter that is open here, with nothing changed that must not
   * be.
   */
  boolean isOf(FilterRecord filter) {
    FilterRecord open = followed.now();
    return open.isSameFilterAs(filter) && open.unchanged().equals(filter.unchanged());
  }

  Folder folder() {
    return folder;
  }

  public QueuedWrites writes() {
    return writes;
  }

  public Lookups lookups() {
    return lookups;
  }

  /** Returns adds that take part in a transaction that the caller began on this connection. */
  public WritesInCallerTransaction within(Connection transaction) {
    requireOpen();
    addedByCallers = true;
    duties.rotation().onCallersTransaction();
    return new WritesInCallerTransaction(
        followed,
        parts.server(),
        parts.database().callersOn(transaction),
        keys,
        new Rotation(parts.time()),
        () -> {
          requireOpen();
          return deadline();
        });
  }

  public Tally tally() {
    return tally;
  }

  /**
   * Returns the false positive rate at present, from the bits in memory, or else from the number of
   * keys that was heard last.
   */
  private CurrentFalsePositiveRate currentFalsePositiveRate() {
    FilterRecord filter = followed.now();
    Image image = mirror == null ? null : mirror.image();
    double current =
        image == null
            ? filter.expectedFalsePositiveRate(heard.keysSet())
            : image.arrays().falsePositiveRate();
    return new CurrentFalsePositiveRate(current, filter.falsePositiveRate());
  }

  /** Returns the figures on what this process asks and holds. */
  public ProcessStatistics statistics() {
    Tally.Counts counts = tally.counts();
    return new EngineStatistics(
        counts.usage(),
        counts.byDatabase(),
        tally.waited(),
        queue.queuedKeys(),
        backlog.entries(),
        used(),
        mirrorState(),
        this::currentFalsePositiveRate);
  }

  private double used() {
    FilterHead head = heard;
    long over = followed.now().capacityOfOlderBuckets();
    return (double) Math.max(0, head.keysSet() - over) / Math.max(1, head.capacity() - over);
  }

  private Optional<MirrorState> mirrorState() {
    Mirror held = mirror;
    Image image = held == null ? null : held.image();
    if (held == null || image == null) {
      return Optional.empty();
    }
    Duration age = held.age();
    long behind = Math.max(0, backlog.lastSeq() - image.cursor().seq());
    return Optional.of(new MirrorState(image.arrays().bytes(), image.cursor().seq(), behind, age));
  }

  /** Waits for queued adds. */
  public void close() {
    if (!closed) {
      closed = true;
      rebuild.stop();
      queue.close(deadline());
      recorder.tell();
      folder.closing();
    }
  }

  public void requireOpen() {
    if (closed) {
      throw Failures.closed(followed.name());
    }
  }

  public long id() {
    return followed.id();
  }

  FilterName name() {
    return followed.name();
  }

  /** Returns how often the database should be heard of. */
  long pulseNanos() {
    long lease = followed.now().lease().toNanos();
    return mirror == null ? lease : (bound.isZero() ? lease : bound.toNanos()) / 4;
  }

  /** Takes in the result of a poll that began at the given moment. */
  void onPulse(Pulse pulse, Moment begun) {
    if (expiry.heard(pulse.head())) {
      // The mirror hears of nothing more, so it answers for a lease at most.
      return;
    }
    if (mirror != null) {
      mirror.onPulse(pulse.head(), begun);
    }
    backlog.heard(pulse.head().lastSeq(), pulse.foldedSeq());
    if (pulse.foldedSeq() < pulse.head().lastSeq()) {
      folder.nudge();
    }
    heard = pulse.head();
    duties
        .rotation()
        .onPulse(pulse.head(), parts.server().clock().bucketAtLeast(followed.now().window()));
    rebuild.heard(pulse.head());
    // If every key seems to be in the filter, no write ever happens that could report it.
    duties.capacity().heard(pulse.head());
    if (addedByCallers) {
      // Nobody in this process hears when the transactions of callers commit, and those
      // transactions cannot wait for the filter to grow.
      duties.growth().onCommittedHead(pulse.head(), 1);
    } else {
      duties.growth().onPolledHead(pulse.head());
    }
  }

  /** Takes in that a poll found no such filter. */
  void onMissing() {
    expiry.isMissing();
  }

  /** Does the regular work that no other part does. Called by one thread. */
  void onTick() {
    queue.expire();
    if (mirror != null) {
      mirror.tick();
    }
    if (expiry.isOver()) {
      return;
    }
    trimmer.tick();
    recorder.tick();
    if (mirror != null) {
      tellLag(mirror.age());
    }
  }

  /** Reports when nothing was heard of the database for two leases, once each time. */
  private void tellLag(Duration age) {
    boolean late = age.compareTo(followed.now().lease().multipliedBy(2)) > 0;
    if (late && !lagging) {
      parts.listener().on(new SlotBloomEvent.Lagging(name().value(), age));
    }
    lagging = late;
  }
}
