package io.github.slotbloom.internal.engine;

import io.github.slotbloom.BloomFilter;
import io.github.slotbloom.FilterOptions;
import io.github.slotbloom.SlotBloomEvent;
import io.github.slotbloom.core.FilterName;
import io.github.slotbloom.internal.add.FilterWriter;
import io.github.slotbloom.internal.add.WriteQueue;
import io.github.slotbloom.internal.add.WritesInCallerTransaction;
import io.github.slotbloom.internal.ask.DirectKeys;
import io.github.slotbloom.internal.ask.KnownKeys;
import io.github.slotbloom.internal.ask.MirroredKeys;
import io.github.slotbloom.internal.context.FilterContext;
import io.github.slotbloom.internal.context.Waiting;
import io.github.slotbloom.internal.duty.CapacityWatch;
import io.github.slotbloom.internal.duty.Grower;
import io.github.slotbloom.internal.duty.Rotation;
import io.github.slotbloom.internal.duty.Rotator;
import io.github.slotbloom.internal.duty.SelfGrowth;
import io.github.slotbloom.internal.duty.SelfRotation;
import io.github.slotbloom.internal.failure.Failures;
import io.github.slotbloom.internal.failure.Retry;
import io.github.slotbloom.internal.fold.Backlog;
import io.github.slotbloom.internal.fold.Folder;
import io.github.slotbloom.internal.fold.Trimmer;
import io.github.slotbloom.internal.mirror.Image;
import io.github.slotbloom.internal.mirror.Mirror;
import io.github.slotbloom.internal.store.Pulse;
import io.github.slotbloom.internal.store.filter.FilterHead;
import io.github.slotbloom.internal.store.filter.FilterRecord;
import io.github.slotbloom.internal.store.session.DatabaseFailure;
import io.github.slotbloom.internal.time.Deadline;
import io.github.slotbloom.internal.time.Moment;
import io.github.slotbloom.report.CurrentErrorRate;
import io.github.slotbloom.report.ProcessStatistics;
import io.github.slotbloom.report.ProcessStatistics.MirrorState;
import java.sql.Connection;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Runs one filter that this process has open: adds hashes, and answers questions about them.
 * Thread-safe.
 */
public final class FilterEngine {

  private final FilterContext context;
  private final FilterOptions options;

  /** The bound on the age of answers. It is never longer than the lease, so no answer is older. */
  private final Duration bound;

  private final @Nullable Mirror mirror;
  private final KnownKeys keys;
  private final Backlog backlog;
  private final Folder folder;
  private final CapacityWatch capacity;
  private final SelfGrowth growth;
  private final Rotation rotation;
  private final SelfRotation selfRotation;
  private final FilterWriter writer;
  private final WriteQueue queue;
  private final QueuedWrites writes;
  private final Questions questions;
  private final LagWatch lag;
  private final Trimmer trimmer;
  private final SelfRebuild rebuild;
  private final ExpiryWatch expiry;
  private final Tally tally = new Tally();
  private final UsageRecorder recorder;
  private volatile boolean addedByCallers;
  private volatile FilterHead heard;
  private volatile boolean closed;

  FilterEngine(
      FilterContext context,
      FilterOptions options,
      Grower grower,
      Rebuilder rebuilder,
      Rotator rotator,
      Consumer<FilterName> expired) {
    this.context = context;
    this.options = options;
    heard = context.filter().head();
    Duration lease = context.filter().lease();
    Duration wanted = options.freshness().bound();
    bound = wanted.compareTo(lease) < 0 ? wanted : lease;
    if (options.mirrored()) {
      mirror = context.mirror(() -> context.server().read(context.id()));
      keys = new MirroredKeys(context, mirror, bound);
    } else {
      mirror = null;
      keys = new DirectKeys(context);
    }
    backlog = new Backlog(options.backlogLimit());
    folder = new Folder(context, backlog);
    capacity = new CapacityWatch(context, options.warnAt());
    growth = new SelfGrowth(context, grower, options.mirrored(), options.warnAt());
    rotation = new Rotation(context.time());
    selfRotation = new SelfRotation(context, rotator);
    writer = new FilterWriter(context, keys, folder, capacity, growth, selfRotation, backlog);
    queue =
        new WriteQueue(
            context.name(),
            options.queueCapacity(),
            BloomFilter.MAX_KEYS_PER_TRANSACTION,
            writer,
            context.io());
    writes = new QueuedWrites(context, options, keys, queue, writer, tally, this::requireOpen);
    questions = new Questions(context, options, keys, tally, this::requireOpen);
    lag = new LagWatch(context.name(), context.filter().lease(), context.listener());
    trimmer = new Trimmer(context);
    rebuild = new SelfRebuild(context, rebuilder);
    expiry = new ExpiryWatch(context, expired);
    recorder = new UsageRecorder(context, tally);
  }

  /**
   * Loads the mirror, if there is one. This takes as long as reading the slots does, but not longer
   * than the time-out if every attempt fails.
   */
  void load() {
    new Waiting(context.name())
        .forLongOutcome(
            keys::refresh,
            Deadline.in(context.time(), Mirror.LONGEST_LOAD),
            deadline(),
            (failure, attempt) -> {
              if (failure instanceof Exception reason) {
                context
                    .listener()
                    .on(new SlotBloomEvent.Retrying(context.name().value(), attempt, reason));
              }
            });
    readClock();
    FilterHead head = context.filter().head();
    capacity.heard(head);
    growth.awaitIfOverfull(head, deadline());
  }

  /** Otherwise keys that expired would be found until the first pulse. */
  private void readClock() {
    try {
      Retry.ofCall()
          .until(
              deadline(),
              Failures::passing,
              () -> {
                context.readClock();
                return true;
              });
    } catch (DatabaseFailure e) {
      throw new Failures(context.name()).translate(e);
    }
    if (mirror != null) {
      mirror.expire();
    }
  }

  private Deadline deadline() {
    return Deadline.in(context.time(), options.timeout());
  }

  /** Returns what writes through the queue. */
  public QueuedWrites writes() {
    return writes;
  }

  /** Returns what answers questions. */
  public Questions questions() {
    return questions;
  }

  /** Returns adds that take part in a transaction that the caller began on this connection. */
  public WritesInCallerTransaction within(Connection transaction) {
    requireOpen();
    addedByCallers = true;
    selfRotation.onCallersTransaction();
    return new WritesInCallerTransaction(
        context,
        context.database().callersOn(transaction),
        keys,
        rotation,
        options.timeout(),
        this::requireOpen);
  }

  /** Returns where answers are counted. */
  public Tally tally() {
    return tally;
  }

  /**
   * Returns the error rate at present, from the bits in memory, or else from the number of keys
   * that was heard last.
   */
  private CurrentErrorRate currentErrorRate() {
    FilterRecord filter = context.filter();
    Image image = mirror == null ? null : mirror.image();
    double current =
        image == null
            ? filter.expectedFalsePositiveRate(heard.keysSet())
            : image.arrays().falsePositiveRate();
    return new CurrentErrorRate(current, filter.falsePositiveRate());
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
        this::currentErrorRate);
  }

  private double used() {
    FilterHead head = heard;
    long over = context.filter().capacityOfOlderBuckets();
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
      throw Failures.closed(context.name());
    }
  }

  public long id() {
    return context.id();
  }

  FilterName name() {
    return context.name();
  }

  /** Returns how often the database should be heard of. */
  long pulseNanos() {
    long lease = context.filter().lease().toNanos();
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
    selfRotation.onPulse(pulse.head(), context.bucketAtLeast());
    rebuild.heard(pulse.head());
    // If every key seems to be in the filter, no write ever happens that could report it.
    capacity.heard(pulse.head());
    if (addedByCallers) {
      // Nobody in this process hears when the transactions of callers commit, and those
      // transactions cannot wait for the filter to grow.
      growth.onCommittedHead(pulse.head(), 1);
    } else {
      growth.onPolledHead(pulse.head());
    }
  }

  /** Takes in that a poll found no such filter. */
  void onMissing() {
    expiry.isMissing();
  }

  /** Does the regular work that no other part does. */
  void onTick() {
    queue.expire(writer.trouble());
    if (mirror != null) {
      mirror.compareClocks();
      mirror.expire();
    }
    if (expiry.isOver()) {
      return;
    }
    trimmer.tick();
    recorder.tick();
    if (mirror != null) {
      lag.check(mirror.age());
    }
  }
}
