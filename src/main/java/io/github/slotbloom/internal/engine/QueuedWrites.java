package io.github.slotbloom.internal.engine;

import io.github.slotbloom.BloomFilter;
import io.github.slotbloom.Offered;
import io.github.slotbloom.SlotBloomEvent;
import io.github.slotbloom.SlotBloomListener;
import io.github.slotbloom.error.SlotBloomException;
import io.github.slotbloom.error.WriteFailedException;
import io.github.slotbloom.error.WriteFailedException.Outcome;
import io.github.slotbloom.internal.add.EventTime;
import io.github.slotbloom.internal.add.PendingWrite;
import io.github.slotbloom.internal.add.PendingWrite.Kind;
import io.github.slotbloom.internal.add.WriteFailures;
import io.github.slotbloom.internal.add.WriteQueue;
import io.github.slotbloom.internal.membership.KnownKeys;
import io.github.slotbloom.internal.store.filter.FilterRecord;
import io.github.slotbloom.internal.time.Deadline;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import java.util.stream.IntStream;

/**
 * Writes keys through the queue of one open filter, for callers who wait and for those who do not.
 * Thread-safe.
 */
public final class QueuedWrites {

  private final FilterRecord filter;
  private final KnownKeys keys;
  private final WriteQueue queue;
  private final Tally tally;
  private final SlotBloomListener listener;
  private final Supplier<Deadline> deadlines;
  private final Runnable requireOpen;

  QueuedWrites(
      FilterRecord filter,
      KnownKeys keys,
      WriteQueue queue,
      Tally tally,
      SlotBloomListener listener,
      Supplier<Deadline> deadlines,
      Runnable requireOpen) {
    this.filter = filter;
    this.keys = keys;
    this.queue = queue;
    this.tally = tally;
    this.listener = listener;
    this.deadlines = deadlines;
    this.requireOpen = requireOpen;
  }

  /** Adds one key. Returns true if it was new. */
  public boolean add(long hash) {
    requireOpen.run();
    boolean fresh = filter.removable() ? addLooking(hash) : addUnlessKnown(hash);
    tally.added(fresh);
    return fresh;
  }

  /** Reads no clock for a key that memory knows. */
  private boolean addUnlessKnown(long hash) {
    return !keys.knows(hash) && queued(Kind.ADD, new long[] {hash}, 0, deadlines.get())[0];
  }

  private boolean addLooking(long hash) {
    long[] one = {hash};
    Deadline deadline = deadlines.get();
    return !know(one, deadline)[0] && queued(Kind.ADD, one, 0, deadline)[0];
  }

  /**
   * Returns which keys need not be written. If keys can be removed, that is at the present end of
   * the journal; a removal that this process still has to write comes first, and then none is
   * known.
   */
  private boolean[] know(long[] hashes, Deadline deadline) {
    return filter.removable() && queue.removes()
        ? new boolean[hashes.length]
        : keys.knowsEach(hashes, deadline);
  }

  /**
   * Adds keys in order. An answer is true if the key was new. Each transaction takes at most {@link
   * BloomFilter#MAX_KEYS_PER_TRANSACTION}.
   */
  public boolean[] addEach(long[] hashes) {
    requireOpen.run();
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
    Deadline deadline = deadlines.get();
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
    boolean[] still =
        know(Arrays.stream(places).mapToLong(i -> hashes[i]).toArray(), deadlines.get());
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
      return queued(Kind.ADD, hashes, 0, deadlines.get());
    } catch (SlotBloomException e) {
      throw WriteFailures.ofSomeOfList(filter.name(), durableBefore, e);
    }
  }

  /** Removes keys in order. An answer is true if the key was taken out. */
  public boolean[] removeEach(long[] hashes) {
    requireOpen.run();
    boolean[] out = new boolean[hashes.length];
    int most = BloomFilter.MAX_KEYS_PER_TRANSACTION;
    for (int from = 0; from < hashes.length; from += most) {
      int to = Math.min(hashes.length, from + most);
      boolean[] answers =
          queued(Kind.REMOVE, Arrays.copyOfRange(hashes, from, to), from, deadlines.get());
      System.arraycopy(answers, 0, out, from, answers.length);
    }
    return out;
  }

  /** Adds the key of an event, unless it came up too long ago to tell whether it is new. */
  public Offered offer(long hash, EventTime event) {
    if (filter.window() == null) {
      return Offered.of(add(hash), false);
    }
    requireOpen.run();
    long[] one = {hash};
    Deadline deadline = deadlines.get();
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
      throw queue.timedOut(pending).afterDurable(durableBefore);
    } catch (ExecutionException e) {
      throw e.getCause() instanceof SlotBloomException known
          ? afterDurable(known, durableBefore)
          : new IllegalStateException(e.getCause());
    } catch (SlotBloomException e) {
      throw afterDurable(e, durableBefore);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      queue.remove(pending);
      Outcome outcome = pending.abandon() ? Outcome.NOT_RECORDED : Outcome.UNKNOWN;
      throw WriteFailures.of(filter.name(), pending, outcome, e).afterDurable(durableBefore);
    }
  }

  /** Tells the listener of adds. */
  private boolean[] told(PendingWrite pending, boolean[] answers) {
    if (pending.adds()) {
      listener.on(
          new SlotBloomEvent.Added(
              filter.name().value(),
              answers.length,
              Tally.count(answers),
              pending.deadline.elapsed()));
    }
    return answers;
  }

  private SlotBloomException afterDurable(SlotBloomException failure, int durableBefore) {
    if (failure instanceof WriteFailedException failed) {
      return failed.afterDurable(durableBefore);
    }
    return durableBefore == 0
        ? failure
        : new WriteFailedException(
                filter.name().value(),
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
    requireOpen.run();
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
    requireOpen.run();
    return queuedAsync(Kind.REMOVE, hash).thenApply(answers -> answers[0]);
  }

  private CompletableFuture<boolean[]> queuedAsync(Kind kind, long hash) {
    PendingWrite pending = new PendingWrite(kind, new long[] {hash}, deadlines.get());
    try {
      queue.put(pending, false);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw WriteFailures.of(filter.name(), pending, Outcome.NOT_RECORDED, e);
    }
    tally.waited(1);
    return pending.answers.thenApply(answers -> told(pending, answers));
  }
}
