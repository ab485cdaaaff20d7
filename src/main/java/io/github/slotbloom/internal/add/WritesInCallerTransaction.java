package io.github.slotbloom.internal.add;

import io.github.slotbloom.BloomFilter;
import io.github.slotbloom.Offered;
import io.github.slotbloom.core.Window;
import io.github.slotbloom.error.FilterNotFoundException;
import io.github.slotbloom.internal.add.PendingWrite.Kind;
import io.github.slotbloom.internal.context.FollowedFilter;
import io.github.slotbloom.internal.context.ServerWatch;
import io.github.slotbloom.internal.duty.Rotation;
import io.github.slotbloom.internal.duty.SelfGrowth;
import io.github.slotbloom.internal.membership.KeysInCallerTransaction;
import io.github.slotbloom.internal.membership.KnownKeys;
import io.github.slotbloom.internal.membership.Membership;
import io.github.slotbloom.internal.mirror.FilterNotReady;
import io.github.slotbloom.internal.store.Tokens;
import io.github.slotbloom.internal.store.catalog.Catalog;
import io.github.slotbloom.internal.store.catalog.ExpiryRows;
import io.github.slotbloom.internal.store.catalog.HeadLock;
import io.github.slotbloom.internal.store.catalog.TableRows;
import io.github.slotbloom.internal.store.filter.FilterHead;
import io.github.slotbloom.internal.store.filter.FilterRecord;
import io.github.slotbloom.internal.store.filter.GenerationRecord;
import io.github.slotbloom.internal.store.journal.HeldHashes;
import io.github.slotbloom.internal.store.session.CallerTransaction;
import io.github.slotbloom.internal.store.session.Tx;
import io.github.slotbloom.internal.time.Deadline;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Adds keys in a transaction that the caller began and will end. Each call adds all its keys or
 * none. It never repeats anything, because only the caller can repeat the transaction. Not
 * thread-safe.
 */
public final class WritesInCallerTransaction {

  private final FollowedFilter followed;
  private final ServerWatch server;
  private final CallerTransaction transaction;
  private final KnownKeys known;
  private final KeysInCallerTransaction keys;
  private final Rotation rotation;
  private final Supplier<Deadline> begin;
  private boolean outgrown;

  /**
   * @param rotation begins buckets, if keys expire
   * @param begin returns when a call must have returned that begins now; throws if the filter was
   *     closed
   */
  public WritesInCallerTransaction(
      FollowedFilter followed,
      ServerWatch server,
      CallerTransaction transaction,
      KnownKeys known,
      Rotation rotation,
      Supplier<Deadline> begin) {
    this.followed = followed;
    this.server = server;
    this.transaction = transaction;
    this.known = known;
    this.keys = known.inTransaction();
    this.rotation = rotation;
    this.begin = begin;
  }

  /** Adds keys in order. An answer is true if the key was new. */
  public boolean[] addEach(long[] hashes) {
    return begun(
        deadline ->
            staysKnown(hashes, deadline)
                ? new boolean[hashes.length]
                : inParts(
                    hashes,
                    deadline,
                    (tx, part) -> write(tx, Kind.ADD, part, null, deadline).added().fresh()));
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
    long[] one = {hash};
    return begun(
        deadline ->
            staysKnown(one, deadline)
                ? Offered.SEEN
                : locking(
                    1,
                    deadline,
                    tx -> write(tx, Kind.ADD, one, event, deadline).added().offered()));
  }

  private <T> T begun(Function<Deadline, T> call) {
    Deadline deadline = begin.get();
    try {
      transaction.require(followed.name());
      return call.apply(deadline);
    } catch (RuntimeException e) {
      throw WriteFailures.translateInTransaction(followed.name(), e, this::notHere);
    }
  }

  private FilterNotFoundException notHere() {
    return new FilterNotFoundException(
        "The connection is to the schema "
            + transaction.schema()
            + ", which does not contain the filter "
            + followed.name()
            + " that was opened. Either the filter was dropped, or the connection is to another"
            + " schema or server: pass a connection to the schema of the filter.");
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
                TableRows.share(
                    tx, followed.id(), newest, Duration.ofNanos(deadline.remainingNanos())));
    // A replacement waits, one lease after it began, for every transaction that holds the row. In
    // this order of checks, it either began within the last lease and will find the row taken, or
    // is known by now.
    return shared && newest.equals(known.newestIfAllKnown(hashes));
  }

  /** Removes keys in order. An answer is true if the key was taken out. */
  public boolean[] removeEach(long[] hashes) {
    return begun(
        deadline ->
            inParts(
                hashes,
                deadline,
                (tx, part) -> write(tx, Kind.REMOVE, part, null, deadline).removed().out()));
  }

  private <T> T locking(int keysToWrite, Deadline deadline, Function<Tx, T> work) {
    keys.beforeLock(deadline);
    boolean oneStatement =
        keysToWrite <= BloomFilter.MAX_KEYS_PER_TRANSACTION && followed.now().window() == null;
    return oneStatement ? transaction.withoutSavepoint(work) : transaction.savepoint(work);
  }

  /**
   * @param write decides about some keys, and appends what follows
   */
  private boolean[] inParts(
      long[] hashes, Deadline deadline, BiFunction<Tx, long[], boolean[]> write) {
    if (hashes.length == 0) {
      return new boolean[0];
    }
    return locking(
        hashes.length,
        deadline,
        tx -> {
          boolean[] answers = new boolean[hashes.length];
          int most = BloomFilter.MAX_KEYS_PER_TRANSACTION;
          for (int from = 0; from < hashes.length; from += most) {
            int to = Math.min(hashes.length, from + most);
            boolean[] some = write.apply(tx, Arrays.copyOfRange(hashes, from, to));
            System.arraycopy(some, 0, answers, from, some.length);
          }
          return answers;
        });
  }

  /** Decides about keys, and appends what follows. */
  private DecidedBatch write(
      Tx tx, Kind kind, long[] hashes, @Nullable EventTime event, Deadline deadline) {
    FilterHead head = lock(tx, deadline);
    long now = 0;
    if (event != null && followed.now().window() != null) {
      now = ExpiryRows.nowMicros(tx);
      event.requireNotToCome(followed.now(), now);
    }
    Membership held = keys.underLock(tx, head, hashes, deadline);
    FilterRecord filter = followed.now();
    DecidedBatch attempt =
        DecidedBatch.decide(
            filter,
            head,
            List.of(new PendingWrite(kind, hashes, event, deadline)),
            hashes,
            held,
            wanted ->
                HeldHashes.find(
                    tx, Catalog.at(tx, filter, head), wanted, head.lastSeq(), hash -> false),
            now);
    if (!attempt.added().refused().isEmpty()) {
      throw attempt.full();
    }
    if (!attempt.removed().refused().isEmpty()) {
      throw attempt.tooManyRemoved();
    }
    append(tx, attempt);
    outgrown |= SelfGrowth.outgrows(head, attempt.keysToSet());
    return attempt;
  }

  /** Locks the head of the current bucket: if it did not begin yet, it begins here. */
  private FilterHead lock(Tx tx, Deadline deadline) {
    FilterHead head = lockHead(tx, deadline);
    Window window = followed.now().window();
    if (window == null || head.bucket() >= window.bucketAt(ExpiryRows.nowMicros(tx))) {
      return head;
    }
    if (!rotation.rotate(tx, Catalog.at(tx, followed.now(), head))) {
      throw WriteFailures.noTableForBucket(followed.name());
    }
    return lockHead(tx, deadline);
  }

  private FilterHead lockHead(Tx tx, Deadline deadline) {
    FilterHead head =
        HeadLock.take(tx, followed.now(), Duration.ofNanos(deadline.remainingNanos()))
            .orElseThrow(this::notHere);
    FilterNotReady.requireActive(followed.name(), head);
    return head;
  }

  private void append(Tx tx, DecidedBatch attempt) {
    DecisionEntries.append(tx, followed.id(), attempt.entries(), attempt.counts(), server);
    keys.appended(attempt.entries());
    if (!attempt.wrote() && followed.now().removable() && tx.group().isShared()) {
      // This server may not have heard yet of a key that was removed, or added again, on another
      // one. Locks are its own, so only what is written makes the commit fail.
      HeadLock.fenceOff(tx, followed.id(), Tokens.next());
    }
  }
}
