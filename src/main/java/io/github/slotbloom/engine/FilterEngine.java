package io.github.slotbloom.engine;

import io.github.slotbloom.error.AddFailedException;
import io.github.slotbloom.error.AddFailedException.Outcome;
import io.github.slotbloom.error.FilterClosedException;
import io.github.slotbloom.error.FilterUnavailableException;
import io.github.slotbloom.error.SlotBloomException;
import io.github.slotbloom.mirror.Image;
import io.github.slotbloom.mirror.Mirror;
import io.github.slotbloom.mirror.Moment;
import io.github.slotbloom.report.ProcessStatistics;
import io.github.slotbloom.report.ProcessStatistics.MirrorState;
import io.github.slotbloom.store.Pulse;
import java.sql.Connection;
import java.time.Duration;
import java.util.Arrays;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** One filter, opened by this process: adds and questions about hashes. Thread-safe. */
public final class FilterEngine {

  static final Duration LONGEST_LOAD = Duration.ofHours(1);

  private final FilterContext context;
  private final EngineOptions options;

  /** Never longer than the lease: no answer is older. */
  private final Duration bound;

  private final @Nullable Mirror mirror;
  private final KnownKeys keys;
  private final Backlog backlog;
  private final Folder folder;
  private final Appending appending;
  private final CapacityWatch capacity;
  private final SelfGrowth growth;
  private final Room room;
  private final FilterWriter writer;
  private final WriteQueue queue;
  private final LagWatch lag;
  private final Trimmer trimmer;
  private final Tally tally = new Tally();
  private final UsageRecorder recorder;
  private final Supplier<Deadline> deadlineOfOne = this::beginOne;
  private volatile boolean addedByCallers;
  private volatile boolean closed;

  FilterEngine(FilterContext context, EngineOptions options, Grower grower) {
    this.context = context;
    this.options = options;
    Duration lease = context.filter().lease();
    bound = options.bound().compareTo(lease) < 0 ? options.bound() : lease;
    if (options.mirrored()) {
      mirror =
          new Mirror(
              context.filter(),
              context.database(),
              context.io(),
              context.time(),
              context.listener());
      keys = new MirroredKeys(context, mirror, bound);
    } else {
      mirror = null;
      keys = new DirectKeys(context);
    }
    backlog = new Backlog(options.backlogLimit());
    folder = new Folder(context, backlog);
    appending = new Appending(context);
    room = new Room(context);
    capacity = new CapacityWatch(context, options.warnAt());
    growth = new SelfGrowth(context, grower, options.mirrored(), options.warnAt());
    writer = new FilterWriter(context, keys, folder, appending, capacity, growth, room, backlog);
    queue =
        new WriteQueue(
            context.name(),
            options.queueCapacity(),
            options.mostKeysPerTransaction(),
            writer,
            context.io());
    lag = new LagWatch(context.name(), context.filter().lease(), context.listener());
    trimmer = new Trimmer(context);
    recorder = new UsageRecorder(context, tally);
  }

  /**
   * Loads the mirror, if there is one: that takes as long as reading its slots does, but not longer
   * than the time-out if it only fails.
   */
  void load() {
    new Waiting(context.name())
        .forLongOutcome(
            keys::refresh,
            Deadline.in(context.time(), LONGEST_LOAD),
            deadline(),
            (failure, attempt) -> {
              if (failure instanceof Exception reason) {
                context.listener().retrying(context.name(), attempt, reason);
              }
            });
  }

  private Deadline deadline() {
    return Deadline.in(context.time(), options.timeout());
  }

  /** Adds one key; true if it was new. */
  public boolean add(long hash) {
    requireOpen();
    boolean fresh = !keys.knows(hash) && addQueued(new long[] {hash}, 0)[0];
    tally.added(fresh);
    return fresh;
  }

  /**
   * Adds keys in order; true for those that were new. Each transaction takes at most as many as the
   * options say.
   */
  public boolean[] addEach(long[] hashes) {
    requireOpen();
    boolean[] fresh = new boolean[hashes.length];
    int most = options.mostKeysPerTransaction();
    for (int from = 0; from < hashes.length; from += most) {
      int to = Math.min(hashes.length, from + most);
      long[] part = Arrays.copyOfRange(hashes, from, to);
      int durableBefore = from;
      boolean[] answers = keys.unlessKnown(part, unknown -> addQueued(unknown, durableBefore));
      tally.added(answers);
      System.arraycopy(answers, 0, fresh, from, part.length);
    }
    return fresh;
  }

  /** Adds that take part in a transaction which the caller began on that connection. */
  public AddsInTransaction within(Connection transaction) {
    requireOpen();
    addedByCallers = true;
    return new AddsInTransaction(
        context,
        context.database().callersOn(transaction),
        keys,
        appending,
        room,
        options,
        this::requireOpen);
  }

  private boolean[] addQueued(long[] hashes, int durableBefore) {
    PendingAdd pending = new PendingAdd(hashes, deadline());
    tally.waited(hashes.length);
    try {
      queue.put(pending, true);
      return pending.answers.get(pending.deadline.remainingNanos(), TimeUnit.NANOSECONDS);
    } catch (TimeoutException e) {
      queue.remove(pending);
      Trouble trouble = writer.trouble();
      throw AddFailures.timedOut(context.name(), pending.deadline, pending.abandon(), trouble)
          .afterDurable(durableBefore);
    } catch (ExecutionException e) {
      throw cause(e, durableBefore);
    } catch (AddFailedException e) {
      throw e.afterDurable(durableBefore);
    } catch (FilterClosedException e) {
      throw afterDurable(e, durableBefore);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      queue.remove(pending);
      Outcome outcome = pending.abandon() ? Outcome.NOT_RECORDED : Outcome.UNKNOWN;
      throw AddFailures.of(context.name(), pending.deadline, outcome, e)
          .afterDurable(durableBefore);
    }
  }

  private RuntimeException cause(ExecutionException e, int durableBefore) {
    if (e.getCause() instanceof AddFailedException failed) {
      return failed.afterDurable(durableBefore);
    }
    return e.getCause() instanceof SlotBloomException known
        ? afterDurable(known, durableBefore)
        : new IllegalStateException(e.getCause());
  }

  private RuntimeException afterDurable(SlotBloomException failure, int durableBefore) {
    return durableBefore == 0
        ? failure
        : new AddFailedException(
                context.name(),
                Outcome.NOT_RECORDED,
                0,
                Objects.requireNonNullElse(failure.getMessage(), failure.toString()),
                failure)
            .afterDurable(durableBefore);
  }

  /**
   * Adds one key without waiting. The future is completed on the writing thread, so it must not be
   * handed out.
   */
  public CompletableFuture<Boolean> addAsync(long hash) {
    requireOpen();
    if (keys.knows(hash)) {
      tally.added(false);
      return CompletableFuture.completedFuture(false);
    }
    PendingAdd pending = new PendingAdd(new long[] {hash}, deadline());
    try {
      queue.put(pending, false);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw AddFailures.of(context.name(), pending.deadline, Outcome.NOT_RECORDED, e);
    }
    tally.waited(1);
    return pending.answers.thenApply(
        answers -> {
          tally.added(answers[0]);
          return answers[0];
        });
  }

  /** Whether the key may be in the filter. */
  public boolean mightContain(long hash) {
    requireOpen();
    try {
      boolean present = keys.ask(hash, deadlineOfOne);
      tally.answered(present);
      return present;
    } catch (FilterUnavailableException e) {
      if (options.maybeWhenUnavailable()) {
        return true;
      }
      throw e;
    }
  }

  /** Which of the keys may be in the filter. */
  public boolean[] mightContainEach(long[] hashes) {
    requireOpen();
    try {
      boolean[] present = keys.ask(hashes, () -> begin(hashes.length));
      tally.answered(present);
      return present;
    } catch (FilterUnavailableException e) {
      if (options.maybeWhenUnavailable()) {
        boolean[] maybe = new boolean[hashes.length];
        Arrays.fill(maybe, true);
        return maybe;
      }
      throw e;
    }
  }

  private Deadline beginOne() {
    return begin(1);
  }

  private Deadline begin(int keys) {
    tally.waited(keys);
    return deadline();
  }

  /**
   * Hears that keys which were taken for members are none.
   *
   * @return which of them are taken for members indeed; none if that cannot be known now, since
   *     then the answer may have been given for want of a better one
   */
  public boolean[] reportFalsePositives(long[] hashes) {
    requireOpen();
    boolean[] members;
    try {
      members = keys.members(hashes, this::deadline);
    } catch (FilterUnavailableException e) {
      return new boolean[hashes.length];
    }
    tally.falsePositives(members);
    return members;
  }

  /** What this process asks and holds. */
  public ProcessStatistics statistics() {
    return new ProcessStatistics(tally.usage(), tally.waited(), mirrorState());
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

  /** Folds everything that was committed before this call. */
  public void fold() {
    requireOpen();
    folder.foldAll(options.timeout());
  }

  /** Removes all keys. */
  public void clear() {
    requireOpen();
    new Clearing(context, options.timeout()).clear();
  }

  /** Waits for queued adds. */
  public void close() {
    if (!closed) {
      closed = true;
      queue.close(deadline());
      recorder.tell();
    }
  }

  private void requireOpen() {
    if (closed) {
      throw WriteQueue.closed(context.name());
    }
  }

  long id() {
    return context.id();
  }

  /** How often the database should be heard of. */
  long pulseNanos() {
    long lease = context.filter().lease().toNanos();
    return mirror == null ? lease : (bound.isZero() ? lease : bound.toNanos()) / 4;
  }

  /** Takes in what a poll saw that began at that moment. */
  void onPulse(Pulse pulse, Moment begun) {
    if (mirror != null) {
      mirror.onPulse(pulse.head(), begun);
    }
    backlog.heard(pulse.head().lastSeq(), pulse.foldedSeq());
    if (pulse.foldedSeq() < pulse.head().lastSeq()) {
      folder.nudge();
    }
    if (addedByCallers) {
      // Nobody here hears of it when their transactions commit.
      capacity.heard(pulse.head());
      // Nor can a transaction of theirs wait for it to grow.
      growth.heard(pulse.head(), 1);
    }
  }

  /** Looks after what nobody else looks after. */
  void onTick() {
    queue.expire(writer.trouble());
    trimmer.tick();
    recorder.tick();
    if (mirror != null) {
      mirror.compareClocks();
      lag.check(mirror.age());
    }
  }
}
