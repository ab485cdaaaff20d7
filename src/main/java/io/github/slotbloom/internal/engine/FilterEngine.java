package io.github.slotbloom.internal.engine;

import io.github.slotbloom.BloomFilter;
import io.github.slotbloom.FilterOptions;
import io.github.slotbloom.Offered;
import io.github.slotbloom.WhenUnavailable;
import io.github.slotbloom.core.FilterName;
import io.github.slotbloom.error.FilterClosedException;
import io.github.slotbloom.error.FilterUnavailableException;
import io.github.slotbloom.error.SlotBloomException;
import io.github.slotbloom.error.WriteFailedException;
import io.github.slotbloom.error.WriteFailedException.Outcome;
import io.github.slotbloom.internal.add.Backlog;
import io.github.slotbloom.internal.add.CapacityWatch;
import io.github.slotbloom.internal.add.EventTime;
import io.github.slotbloom.internal.add.FilterWriter;
import io.github.slotbloom.internal.add.Grower;
import io.github.slotbloom.internal.add.PendingWrite;
import io.github.slotbloom.internal.add.PendingWrite.Kind;
import io.github.slotbloom.internal.add.Rotation;
import io.github.slotbloom.internal.add.Rotator;
import io.github.slotbloom.internal.add.SelfGrowth;
import io.github.slotbloom.internal.add.SelfRotation;
import io.github.slotbloom.internal.add.Trouble;
import io.github.slotbloom.internal.add.WriteFailures;
import io.github.slotbloom.internal.add.WriteQueue;
import io.github.slotbloom.internal.add.WritesInCallerTransaction;
import io.github.slotbloom.internal.admin.Clearing;
import io.github.slotbloom.internal.ask.DirectKeys;
import io.github.slotbloom.internal.ask.KnownKeys;
import io.github.slotbloom.internal.ask.KnownKeys.MemoryAnswer;
import io.github.slotbloom.internal.ask.MirroredKeys;
import io.github.slotbloom.internal.ask.RescuedKeys;
import io.github.slotbloom.internal.bits.Hashes;
import io.github.slotbloom.internal.failure.Failures;
import io.github.slotbloom.internal.failure.Retry;
import io.github.slotbloom.internal.fold.Folder;
import io.github.slotbloom.internal.fold.Trimmer;
import io.github.slotbloom.internal.mirror.Image;
import io.github.slotbloom.internal.mirror.Mirror;
import io.github.slotbloom.internal.mirror.Moment;
import io.github.slotbloom.internal.store.DatabaseFailure;
import io.github.slotbloom.internal.store.Pulse;
import io.github.slotbloom.internal.store.catalog.FilterHead;
import io.github.slotbloom.internal.store.catalog.FilterRecord;
import io.github.slotbloom.report.CurrentErrorRate;
import io.github.slotbloom.report.ProcessStatistics;
import io.github.slotbloom.report.ProcessStatistics.MirrorState;
import java.sql.Connection;
import java.time.Duration;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.stream.IntStream;
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
  private final RescuedKeys rescuedKeys;
  private final Backlog backlog;
  private final Folder folder;
  private final CapacityWatch capacity;
  private final SelfGrowth growth;
  private final Rotation rotation;
  private final SelfRotation selfRotation;
  private final FilterWriter writer;
  private final WriteQueue queue;
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
    rescuedKeys = new RescuedKeys(context);
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
                context.listener().retrying(context.name().value(), attempt, reason);
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

  /** Adds one key. Returns true if it was new. */
  public boolean add(long hash) {
    requireOpen();
    boolean fresh = context.filter().removable() ? addLooking(hash) : addUnlessKnown(hash);
    tally.added(fresh);
    return fresh;
  }

  /** Reads no clock for a key that memory knows. */
  private boolean addUnlessKnown(long hash) {
    return !keys.knows(hash) && queued(Kind.ADD, new long[] {hash}, 0, deadline())[0];
  }

  private boolean addLooking(long hash) {
    long[] one = {hash};
    Deadline deadline = deadline();
    return !knowNow(one, deadline)[0] && queued(Kind.ADD, one, 0, deadline)[0];
  }

  private boolean[] know(long[] hashes, Deadline deadline) {
    return context.filter().removable() ? knowNow(hashes, deadline) : keys.knowsEach(hashes);
  }

  /**
   * Returns which keys need not be written, at the present end of the journal. A removal that this
   * process still has to write comes first: then none is known.
   */
  private boolean[] knowNow(long[] hashes, Deadline deadline) {
    return queue.removes() ? new boolean[hashes.length] : keys.knowsEach(hashes, () -> deadline);
  }

  /**
   * Adds keys in order. An answer is true if the key was new. Each transaction takes at most {@link
   * BloomFilter#MAX_KEYS_PER_TRANSACTION}.
   */
  public boolean[] addEach(long[] hashes) {
    requireOpen();
    boolean[] fresh = new boolean[hashes.length];
    BitSet known = new BitSet(hashes.length);
    int most = BloomFilter.MAX_KEYS_PER_TRANSACTION;
    for (int from = 0; from < hashes.length; from += most) {
      int to = Math.min(hashes.length, from + most);
      boolean[] answers = addPart(Arrays.copyOfRange(hashes, from, to), from, known);
      tally.added(answers);
      System.arraycopy(answers, 0, fresh, from, answers.length);
    }
    if (known.cardinality() < hashes.length) {
      addForgotten(hashes, known, fresh);
    }
    return fresh;
  }

  /**
   * Adds the keys that are not known already, if any. Known keys are not new.
   *
   * @param from the place of the first key in the whole list
   * @param known receives the places of the known keys
   */
  private boolean[] addPart(long[] part, int from, BitSet known) {
    Deadline deadline = deadline();
    boolean[] knownHere = know(part, deadline);
    int[] places = new int[part.length];
    long[] unknown = new long[part.length];
    int n = 0;
    for (int i = 0; i < part.length; i++) {
      known.set(from + i, knownHere[i]);
      if (!knownHere[i]) {
        places[n] = i;
        unknown[n++] = part[i];
      }
    }
    boolean[] fresh = new boolean[part.length];
    if (n > 0) {
      boolean[] answers = queued(Kind.ADD, Arrays.copyOf(unknown, n), from, deadline);
      for (int i = 0; i < n; i++) {
        fresh[places[i]] = answers[i];
      }
    }
    return fresh;
  }

  /**
   * Adds the keys that were known when others of the list had to wait, and are no longer known
   * after the wait. The filter was replaced or cleared meanwhile, or this process heard nothing of
   * it for a lease.
   */
  private void addForgotten(long[] hashes, BitSet known, boolean[] fresh) {
    int[] places = known.stream().toArray();
    boolean[] still = know(Arrays.stream(places).mapToLong(i -> hashes[i]).toArray(), deadline());
    int[] forgotten =
        IntStream.range(0, places.length).filter(i -> !still[i]).map(i -> places[i]).toArray();
    int most = BloomFilter.MAX_KEYS_PER_TRANSACTION;
    for (int from = 0; from < forgotten.length; from += most) {
      int[] part = Arrays.copyOfRange(forgotten, from, Math.min(forgotten.length, from + most));
      boolean[] answers =
          addAgain(Arrays.stream(part).mapToLong(i -> hashes[i]).toArray(), part[0]);
      for (int i = 0; i < part.length; i++) {
        fresh[part[i]] = answers[i];
      }
    }
  }

  /** Adds keys of a list whose other keys are recorded, some of them perhaps behind these. */
  private boolean[] addAgain(long[] hashes, int durableBefore) {
    try {
      return queued(Kind.ADD, hashes, 0, deadline());
    } catch (SlotBloomException e) {
      throw WriteFailures.ofSomeOfList(context.name(), durableBefore, e);
    }
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
  Tally tally() {
    return tally;
  }

  /** Removes keys in order. An answer is true if the key was taken out. */
  public boolean[] removeEach(long[] hashes) {
    requireOpen();
    context.requireRemovable();
    boolean[] out = new boolean[hashes.length];
    int most = BloomFilter.MAX_KEYS_PER_TRANSACTION;
    for (int from = 0; from < hashes.length; from += most) {
      int to = Math.min(hashes.length, from + most);
      boolean[] answers =
          queued(Kind.REMOVE, Arrays.copyOfRange(hashes, from, to), from, deadline());
      System.arraycopy(answers, 0, out, from, answers.length);
    }
    return out;
  }

  /** Adds the key of an event, unless it came up too long ago to tell whether it is new. */
  public Offered offer(long hash, EventTime event) {
    requireOpen();
    context.requireWindow();
    long[] one = {hash};
    Deadline deadline = deadline();
    Offered offered = Offered.SEEN;
    if (!know(one, deadline)[0]) {
      PendingWrite pending = new PendingWrite(Kind.ADD, one, event, deadline);
      boolean fresh = queued(pending, 0)[0];
      offered = Offered.of(fresh, pending.expired()[0]);
    }
    if (offered != Offered.EXPIRED) {
      tally.added(offered == Offered.NEW);
    }
    return offered;
  }

  private boolean[] queued(Kind kind, long[] hashes, int durableBefore, Deadline deadline) {
    return queued(new PendingWrite(kind, hashes, deadline), durableBefore);
  }

  private boolean[] queued(PendingWrite pending, int durableBefore) {
    tally.waited(pending.size());
    try {
      queue.put(pending, true);
      return told(
          pending, pending.answers.get(pending.deadline.remainingNanos(), TimeUnit.NANOSECONDS));
    } catch (TimeoutException e) {
      queue.remove(pending);
      Trouble trouble = writer.trouble();
      throw WriteFailures.timedOut(context.name(), pending, pending.abandon(), trouble)
          .afterDurable(durableBefore);
    } catch (ExecutionException e) {
      throw cause(e, durableBefore);
    } catch (WriteFailedException e) {
      throw e.afterDurable(durableBefore);
    } catch (FilterClosedException e) {
      throw afterDurable(e, durableBefore);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      queue.remove(pending);
      Outcome outcome = pending.abandon() ? Outcome.NOT_RECORDED : Outcome.UNKNOWN;
      throw WriteFailures.of(context.name(), pending, outcome, e).afterDurable(durableBefore);
    }
  }

  /** Tells the listener of adds. */
  private boolean[] told(PendingWrite pending, boolean[] answers) {
    if (pending.adds()) {
      context
          .listener()
          .added(
              context.name().value(),
              answers.length,
              Tally.count(answers),
              pending.deadline.elapsed());
    }
    return answers;
  }

  private RuntimeException cause(ExecutionException e, int durableBefore) {
    if (e.getCause() instanceof WriteFailedException failed) {
      return failed.afterDurable(durableBefore);
    }
    return e.getCause() instanceof SlotBloomException known
        ? afterDurable(known, durableBefore)
        : new IllegalStateException(e.getCause());
  }

  private RuntimeException afterDurable(SlotBloomException failure, int durableBefore) {
    return durableBefore == 0
        ? failure
        : new WriteFailedException(
                context.name().value(),
                Outcome.NOT_RECORDED,
                0,
                Objects.requireNonNullElse(failure.getMessage(), failure.toString()),
                failure)
            .afterDurable(durableBefore);
  }

  /**
   * Adds one key without waiting. The future is completed on the writing thread, so callers outside
   * this library must not get it.
   */
  public CompletableFuture<Boolean> addAsync(long hash) {
    requireOpen();
    if (keys.knows(hash)) {
      tally.added(false);
      return CompletableFuture.completedFuture(false);
    }
    return queuedAsync(Kind.ADD, hash)
        .thenApply(
            answers -> {
              tally.added(answers[0]);
              return answers[0];
            });
  }

  /** Removes one key without waiting, as {@link #addAsync} adds one. */
  public CompletableFuture<Boolean> removeAsync(long hash) {
    requireOpen();
    context.requireRemovable();
    return queuedAsync(Kind.REMOVE, hash).thenApply(answers -> answers[0]);
  }

  private CompletableFuture<boolean[]> queuedAsync(Kind kind, long hash) {
    PendingWrite pending = new PendingWrite(kind, new long[] {hash}, deadline());
    try {
      queue.put(pending, false);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw WriteFailures.of(context.name(), pending, Outcome.NOT_RECORDED, e);
    }
    tally.waited(1);
    return pending.answers.thenApply(answers -> told(pending, answers));
  }

  /** Returns true if the key may be in the filter. */
  public boolean mightContain(long hash) {
    requireOpen();
    MemoryAnswer known = keys.askMemory(hash);
    if (known == MemoryAnswer.UNKNOWN) {
      return askDatabase(hash);
    }
    boolean present = known == MemoryAnswer.PRESENT;
    tally.answered(present);
    return present;
  }

  private boolean askDatabase(long hash) {
    try {
      boolean present = keys.askDatabase(hash, begin(1));
      tally.answeredByDatabase(present);
      return present;
    } catch (FilterUnavailableException e) {
      if (options.whenUnavailable() == WhenUnavailable.ANSWER_MAYBE) {
        return true;
      }
      throw e;
    }
  }

  /** Returns which of the keys may be in the filter. */
  public boolean[] mightContainEach(long[] hashes) {
    requireOpen();
    AtomicBoolean byDatabase = new AtomicBoolean();
    try {
      boolean[] present =
          keys.ask(
              hashes,
              () -> {
                byDatabase.setPlain(true);
                return begin(hashes.length);
              });
      tally.answered(present, byDatabase.getPlain());
      return present;
    } catch (FilterUnavailableException e) {
      if (options.whenUnavailable() == WhenUnavailable.ANSWER_MAYBE) {
        boolean[] maybe = new boolean[hashes.length];
        Arrays.fill(maybe, true);
        return maybe;
      }
      throw e;
    }
  }

  /** Returns true if the key may be in the filter and is not rescued. */
  public boolean isBlocked(long hash) {
    return mightContain(hash) && !rescued(new long[] {hash})[0];
  }

  /** Returns which of the keys may be in the filter and are not rescued. */
  public boolean[] isBlockedEach(long[] hashes) {
    boolean[] blocked = mightContainEach(hashes);
    long[] members = Hashes.where(hashes, i -> blocked[i]);
    if (members.length == 0) {
      return blocked;
    }
    boolean[] rescued = rescued(members);
    int member = 0;
    for (int i = 0; i < blocked.length; i++) {
      if (blocked[i]) {
        blocked[i] = !rescued[member++];
      }
    }
    return blocked;
  }

  private boolean[] rescued(long[] hashes) {
    try {
      return rescuedKeys.among(hashes, deadline());
    } catch (FilterUnavailableException e) {
      if (options.whenUnavailable() == WhenUnavailable.ANSWER_MAYBE) {
        return new boolean[hashes.length];
      }
      throw e;
    }
  }

  private Deadline begin(int keys) {
    tally.waited(keys);
    return deadline();
  }

  /**
   * Takes in that some keys were taken for members and are none.
   *
   * @return true for each key that is indeed taken for a member; false for all if that cannot be
   *     known now, since then the wrong answer may only have been a fallback
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

  /**
   * Returns the error rate at present, from the bits in memory, or else from the number of keys
   * that was heard last.
   */
  public CurrentErrorRate currentErrorRate() {
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
    return new ProcessStatistics(
        counts.usage(),
        counts.byDatabase(),
        tally.waited(),
        queue.queuedKeys(),
        backlog.entries(),
        used(),
        mirrorState());
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
      rebuild.stop();
      queue.close(deadline());
      recorder.tell();
      folder.closing();
    }
  }

  void requireOpen() {
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
