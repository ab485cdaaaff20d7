package io.github.slotbloom.internal.add;

import io.github.slotbloom.BloomFilter;
import io.github.slotbloom.Offered;
import io.github.slotbloom.core.Window;
import io.github.slotbloom.error.FilterFullException;
import io.github.slotbloom.error.FilterNotFoundException;
import io.github.slotbloom.internal.ask.KeysInCallerTransaction;
import io.github.slotbloom.internal.ask.KnownKeys;
import io.github.slotbloom.internal.ask.Membership;
import io.github.slotbloom.internal.context.FilterContext;
import io.github.slotbloom.internal.duty.Rotation;
import io.github.slotbloom.internal.duty.SelfGrowth;
import io.github.slotbloom.internal.mirror.FilterNotReady;
import io.github.slotbloom.internal.store.Tokens;
import io.github.slotbloom.internal.store.catalog.Catalog;
import io.github.slotbloom.internal.store.catalog.WindowRows;
import io.github.slotbloom.internal.store.filter.FilterHead;
import io.github.slotbloom.internal.store.filter.FilterRecord;
import io.github.slotbloom.internal.store.filter.GenerationRecord;
import io.github.slotbloom.internal.store.filter.KeyCounts;
import io.github.slotbloom.internal.store.journal.HeldHashes;
import io.github.slotbloom.internal.store.journal.JournalEntry;
import io.github.slotbloom.internal.store.session.CallerTransaction;
import io.github.slotbloom.internal.store.session.Tx;
import io.github.slotbloom.internal.time.Deadline;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Adds keys in a transaction that the caller began and will end. Each call adds all its keys or
 * none. It never repeats anything, because only the caller can repeat the transaction. Not
 * thread-safe.
 */
public final class WritesInCallerTransaction {

  private final FilterContext context;
  private final CallerTransaction transaction;
  private final KnownKeys known;
  private final KeysInCallerTransaction keys;
  private final Rotation rotation;
  private final Duration timeout;
  private final Runnable requireOpen;
  private boolean outgrown;

  /**
   * Creates the adds of one transaction.
   *
   * @param rotation begins buckets, if keys expire
   * @param timeout the longest time that a call may take
   * @param requireOpen throws if the filter was closed
   */
  public WritesInCallerTransaction(
      FilterContext context,
      CallerTransaction transaction,
      KnownKeys known,
      Rotation rotation,
      Duration timeout,
      Runnable requireOpen) {
    this.context = context;
    this.transaction = transaction;
    this.known = known;
    this.keys = known.inTransaction();
    this.rotation = rotation;
    this.timeout = timeout;
    this.requireOpen = requireOpen;
  }

  /** Adds keys in order. An answer is true if the key was new. */
  public boolean[] addEach(long[] hashes) {
    requireOpen.run();
    try {
      transaction.require(context.filter().name());
      Deadline deadline = Deadline.in(context.time(), timeout);
      return staysKnown(hashes, deadline)
          ? new boolean[hashes.length]
          : inParts(hashes, deadline, this::addPart);
    } catch (RuntimeException e) {
      throw WriteFailures.translateInTransaction(context.name(), e, this::notHere);
    }
  }

  /** Returns true if the filter is to grow, and has no room for all keys that were added here. */
  public boolean outgrown() {
    return outgrown;
  }

  /**
   * Adds the key of an event, unless it came up too long ago to tell whether it is new.
   *
   * @throws io.github.slotbloom.error.InvalidParameterException if the event is still to come
   */
  public Offered offer(long hash, EventTime event) {
    requireOpen.run();
    long[] one = {hash};
    try {
      transaction.require(context.filter().name());
      Deadline deadline = Deadline.in(context.time(), timeout);
      if (staysKnown(one, deadline)) {
        return Offered.SEEN;
      }
      AtomicReference<Offered> offered = new AtomicReference<>(Offered.SEEN);
      inParts(
          one,
          deadline,
          (tx, part, until) -> {
            Decision decision = add(tx, part, event, until);
            offered.set(decision.offered());
            return decision.fresh();
          });
      return Objects.requireNonNull(offered.get());
    } catch (RuntimeException e) {
      throw WriteFailures.translateInTransaction(context.name(), e, this::notHere);
    }
  }

  private FilterNotFoundException notHere() {
    return new FilterNotFoundException(
        "The connection leads to the schema "
            + transaction.schema()
            + ", which does not hold the filter "
            + context.name()
            + " that was opened. Either it was dropped, or the connection is one of another schema"
            + " or server: give one that leads to where the filter is.");
  }

  /**
   * Returns true if the process knows all keys, and a replacement that it has not heard of yet will
   * wait for this transaction before it opens its source. The rows that the transaction writes
   * besides the adds must be in that source, because keys that only seem to be in the filter are
   * stored nowhere else.
   */
  private boolean staysKnown(long[] hashes, Deadline deadline) {
    if (hashes.length == 0) {
      return true;
    }
    GenerationRecord newest = known.newestIfAllKnown(hashes);
    if (newest == null) {
      return false;
    }
    boolean shared =
        transaction.withoutSavepoint(
            tx ->
                Catalog.share(
                    tx, context.id(), newest, Duration.ofNanos(deadline.remainingNanos())));
    // A replacement waits, one lease after it began, for every transaction that holds the row. In
    // this order of checks, it either began within the last lease and will find the row taken, or
    // is known by now.
    return shared && newest.equals(known.newestIfAllKnown(hashes));
  }

  /** Removes keys in order. An answer is true if the key was taken out. */
  public boolean[] removeEach(long[] hashes) {
    requireOpen.run();
    try {
      transaction.require(context.filter().name());
      Deadline deadline = Deadline.in(context.time(), timeout);
      return inParts(hashes, deadline, this::removePart);
    } catch (RuntimeException e) {
      throw WriteFailures.translateInTransaction(context.name(), e, this::notHere);
    }
  }

  /** Decides about some keys, and appends what follows. */
  private interface Part {
    boolean[] write(Tx tx, long[] hashes, Deadline deadline);
  }

  private boolean[] inParts(long[] hashes, Deadline deadline, Part part) {
    if (hashes.length == 0) {
      return new boolean[0];
    }
    keys.beforeLock(deadline);
    boolean oneStatement =
        hashes.length <= BloomFilter.MAX_KEYS_PER_TRANSACTION && context.filter().window() == null;
    Function<Tx, boolean[]> work = tx -> inParts(tx, hashes, deadline, part);
    return oneStatement ? transaction.withoutSavepoint(work) : transaction.savepoint(work);
  }

  private static boolean[] inParts(Tx tx, long[] hashes, Deadline deadline, Part part) {
    boolean[] answers = new boolean[hashes.length];
    int most = BloomFilter.MAX_KEYS_PER_TRANSACTION;
    for (int from = 0; from < hashes.length; from += most) {
      int to = Math.min(hashes.length, from + most);
      boolean[] some = part.write(tx, Arrays.copyOfRange(hashes, from, to), deadline);
      System.arraycopy(some, 0, answers, from, some.length);
    }
    return answers;
  }

  private boolean[] addPart(Tx tx, long[] hashes, Deadline deadline) {
    return add(tx, hashes, null, deadline).fresh();
  }

  private Decision add(Tx tx, long[] hashes, @Nullable EventTime event, Deadline deadline) {
    FilterHead head = lock(tx, deadline);
    boolean late = event != null && isLate(tx, event);
    Membership held = keys.underLock(tx, head, hashes, deadline);
    Decision decision =
        Decision.of(new int[] {hashes.length}, hashes, held, head.room(), i -> late);
    if (!decision.refused().isEmpty()) {
      throw new FilterFullException(
          context.name().value(), context.name().toString(), head.keysSet(), head.capacity());
    }
    append(
        tx,
        DecisionEntries.chain(head, decision, Removal.NOTHING.hashes()),
        DecisionEntries.counts(head, decision, Removal.NOTHING));
    outgrown |= SelfGrowth.outgrows(head, decision.keysToSet());
    return decision;
  }

  private boolean[] removePart(Tx tx, long[] hashes, Deadline deadline) {
    FilterHead head = lock(tx, deadline);
    Membership held = keys.underLock(tx, head, hashes, deadline);
    FilterRecord filter = context.filter();
    Removal removal =
        DecidedBatch.remove(
            filter,
            head,
            new int[] {hashes.length},
            hashes,
            held,
            wanted -> HeldHashes.find(tx, filter, wanted, head.lastSeq(), hash -> false));
    if (!removal.refused().isEmpty()) {
      throw DecidedBatch.tooManyRemoved(filter, head);
    }
    append(
        tx,
        DecisionEntries.chain(head, Decision.NOTHING, removal.hashes()),
        DecisionEntries.counts(head, Decision.NOTHING, removal));
    return removal.out();
  }

  private boolean isLate(Tx tx, EventTime event) {
    Window window = context.filter().window();
    if (window == null) {
      return false;
    }
    long now = WindowRows.nowMicros(tx);
    event.requireNotToCome(context.filter(), now);
    return event.isLate(window, now);
  }

  /** Locks the head of the present bucket: if it did not begin yet, it begins here. */
  private FilterHead lock(Tx tx, Deadline deadline) {
    FilterHead head = lockHead(tx, deadline);
    Window window = context.filter().window();
    if (window == null || head.bucket() >= window.bucketAt(WindowRows.nowMicros(tx))) {
      return head;
    }
    if (!rotation.rotate(tx, context.at(tx, head).orElseThrow(KnownKeys.StaleException::new))) {
      throw WriteFailures.noTableForBucket(context.name());
    }
    return lockHead(tx, deadline);
  }

  private FilterHead lockHead(Tx tx, Deadline deadline) {
    FilterHead head =
        Catalog.lockHead(tx, context.filter(), Duration.ofNanos(deadline.remainingNanos()))
            .orElseThrow(this::notHere);
    FilterNotReady.requireActive(context.filter().name(), head);
    return head;
  }

  private void append(Tx tx, List<JournalEntry> entries, KeyCounts counts) {
    DecisionEntries.append(tx, context, entries, counts);
    keys.appended(entries);
    if (entries.isEmpty() && context.filter().removable() && tx.group().isShared()) {
      // This server may not have heard yet of a key that was removed, or added again, on another
      // one. Locks are its own, so only what is written makes the commit fail.
      Catalog.fenceOff(tx, context.id(), Tokens.next());
    }
  }
}
