package io.github.slotbloom.internal.replace;

import io.github.slotbloom.ReplaceOptions;
import io.github.slotbloom.Replacement;
import io.github.slotbloom.core.FilterName;
import io.github.slotbloom.core.Sizing;
import io.github.slotbloom.error.CorruptFilterException;
import io.github.slotbloom.error.FilterUnavailableException;
import io.github.slotbloom.error.InvalidParameterException;
import io.github.slotbloom.error.ReplacementException;
import io.github.slotbloom.error.SchemaException;
import io.github.slotbloom.internal.admin.Clearing;
import io.github.slotbloom.internal.admin.FilterDirectory;
import io.github.slotbloom.internal.admin.LeaseEnd;
import io.github.slotbloom.internal.admin.OngoingReplacement;
import io.github.slotbloom.internal.admin.RemovedCount;
import io.github.slotbloom.internal.admin.SignOfLife;
import io.github.slotbloom.internal.admin.SlotTables;
import io.github.slotbloom.internal.engine.FilterEngines;
import io.github.slotbloom.internal.store.Tokens;
import io.github.slotbloom.internal.store.catalog.Catalog;
import io.github.slotbloom.internal.store.catalog.GenerationRows;
import io.github.slotbloom.internal.store.catalog.ReplacementRows;
import io.github.slotbloom.internal.store.filter.FilterHead;
import io.github.slotbloom.internal.store.filter.FilterRecord;
import io.github.slotbloom.internal.store.filter.GenerationRecord;
import io.github.slotbloom.internal.store.filter.RemovalRecord;
import io.github.slotbloom.internal.store.filter.ReplacementRecord;
import io.github.slotbloom.internal.store.journal.Cursor;
import io.github.slotbloom.internal.store.journal.Journal;
import io.github.slotbloom.internal.store.session.DatabaseFailure;
import io.github.slotbloom.internal.store.session.Tx;
import io.github.slotbloom.internal.transfer.HashSource;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;

/**
 * Replaces the generations of a filter by one that is made for more keys, while others use it.
 *
 * <p>From an entry of the journal on new keys go to the new generation as well, and so does every
 * key that is found to be in the filter while the new one lacks it. The keys from before come from
 * a source. It is opened a lease later, when no process answers anymore from what it knew before
 * that entry, and when the transactions of applications that were answered so have ended. Once
 * every key of the source is found in the new generation another entry lets it answer alone. A
 * lease later nobody reads the old ones, and their tables are dropped.
 */
public final class Replacing {

  /** A process that works on it gives a sign of life far more often. */
  private static final Duration IDLE_AFTER = Duration.ofSeconds(15);

  /** A waiter for an exclusive lock blocks others who could share the lock. */
  private static final Duration LONGEST_IN_THE_WAY = Duration.ofMillis(200);

  private final FilterDirectory directory;
  private final SlotTables slotTables;
  private final FilterEngines engines;

  public Replacing(FilterDirectory directory, FilterEngines engines) {
    this.directory = directory;
    this.slotTables = new SlotTables(directory);
    this.engines = engines;
  }

  /**
   * Replaces them, or goes on with what another process began and did not finish.
   *
   * @param capacity keys that the filter shall hold in all
   */
  public void replace(FilterName name, long capacity, HashSource source, ReplaceOptions options) {
    Sizing.requireCapacity(capacity);
    FilterRecord before = directory.require(name);
    before.requireEverlasting("be replaced");
    source.requireFits(before);
    if (!options.isForced()) {
      DistinctHashes.requireRoom(name, before.head().keysAdded());
    } else if (before.retainHashes() && !source.areRetained()) {
      throw new InvalidParameterException(
          ("Filter %s retains the hashes of its keys, so it cannot forget those that a source"
                  + " lacks. Give a source that has all keys, without --force, or its own hashes"
                  + " (--from-journal); remove keys that it shall not have (slotbloom remove), where"
                  + " it was reserved for that.")
              .formatted(name));
    }
    if (endedAtItsEnd(name, capacity)) {
      return;
    }
    long owner = Tokens.next();
    FilterRecord filter = begin(name, capacity, source, owner);
    SignOfLife life = new SignOfLife(engines, directory.time(), () -> live(filter, owner));
    try {
      awaitLease(filter);
      awaitTransactionsOfBefore(filter);
      while (!cutOver(filter, owner, fill(filter, owner, source, options))) {}
    } catch (RuntimeException | Error e) {
      release(filter, owner, e);
      throw e;
    } finally {
      life.end();
    }
    awaitLease(filter);
    requireReplaced(filter);
    dropLeftTables(filter);
  }

  private void requireReplaced(FilterRecord filter) {
    GenerationRecord target = directory.require(filter).set().target();
    if (target != null && target.isSameAs(Objects.requireNonNull(filter.set().target()))) {
      throw new ReplacementException(
          ("Filter %s was replaced, but a failover undid that. Replace it again; that"
                  + " continues where it stopped.")
              .formatted(filter.name()));
    }
  }

  private void live(FilterRecord filter, long owner) {
    directory.run(tx -> ReplacementRows.live(tx, filter.id(), owner));
  }

  private void release(FilterRecord filter, long owner, Throwable reason) {
    try {
      directory.run(tx -> ReplacementRows.release(tx, filter.id(), owner));
    } catch (RuntimeException e) {
      reason.addSuppressed(e);
    }
  }

  /**
   * Returns once every key of the source is in the generation that is being filled.
   *
   * @return an entry; as long as the journal holds it, that is so
   */
  private Cursor fill(FilterRecord filter, long owner, HashSource source, ReplaceOptions options) {
    ReplacementRecord record =
        directory
            .askPatiently(tx -> ReplacementRows.find(tx, filter.id(), IDLE_AFTER))
            .orElseThrow(() -> ongoing(filter).over());
    if (record.owner() != owner) {
      throw ongoing(filter).takenOver();
    }
    return new SourceReplay(directory, engines, filter, ongoing(filter), record, source, options)
        .run();
  }

  /** Drops what was left behind; true if that was all that was left to be done. */
  private boolean endedAtItsEnd(FilterName name, long capacity) {
    FilterRecord filter = directory.require(name);
    GenerationRecord newest = filter.newestGeneration();
    boolean left = directory.askPatiently(tx -> GenerationRows.hasLeftTables(tx, filter.id()));
    // What was given up may be left as well, of a later replacement than the one that took place.
    boolean replaced = directory.askPatiently(tx -> GenerationRows.hasRetired(tx, filter.id()));
    if (left) {
      awaitLease(filter);
      dropLeftTables(filter);
    }
    return replaced
        && filter.set().target() == null
        && newest.cutoverSeq() > 0
        && newest.capacity() == capacity;
  }

  /** Returns the filter with a generation that is being filled, for this process to go on with. */
  private FilterRecord begin(FilterName name, long capacity, HashSource source, long owner) {
    FilterRecord found = directory.require(name);
    while (true) {
      FilterRecord filter = found;
      boolean begun;
      if (filter.set().target() == null) {
        int next = directory.askPatiently(tx -> begin(tx, filter, capacity));
        begun =
            directory.patiently(
                () ->
                    slotTables.makeNext(
                        filter,
                        next,
                        "replace",
                        tx -> announce(tx, filter, next, capacity, source, owner)));
      } else {
        begun = directory.askPatiently(tx -> resume(tx, filter, capacity, source, owner));
      }
      found = directory.require(filter);
      if (begun) {
        return found;
      }
    }
  }

  private int begin(Tx tx, FilterRecord filter, long capacity) {
    FilterHead head = lockActive(tx, filter);
    int next = GenerationRows.next(tx, filter);
    GenerationRows.begin(tx, filter, larger(filter, head, next, capacity));
    return next;
  }

  /** Returns false if the generations of the filter are others by now. */
  private boolean announce(
      Tx tx, FilterRecord filter, int number, long capacity, HashSource source, long owner) {
    FilterHead head = lockActive(tx, filter);
    if (!filter.knows(head)) {
      return false;
    }
    GenerationRecord generation = larger(filter, head, number, capacity);
    if (!GenerationRows.beginFilling(tx, filter.id(), head, generation)) {
      return false;
    }
    ReplacementRows.insert(tx, filter.id(), head, generation, owner, source.description());
    return true;
  }

  /** Returns false if the generations of the filter are others by now. */
  private boolean resume(Tx tx, FilterRecord filter, long capacity, HashSource source, long owner) {
    FilterHead head = lockActive(tx, filter);
    if (!filter.knows(head)) {
      return false;
    }
    ReplacementRecord record = find(tx, filter);
    if (record.capacity() != capacity) {
      throw new InvalidParameterException(
          ("Filter %s is being replaced by one of capacity %s, so it cannot be replaced by one"
                  + " of %s. Finish that replacement with its own capacity, or abort it.")
              .formatted(filter.name(), record.capacity(), capacity));
    }
    if (!record.idle() && record.owner() != owner) {
      throw new ReplacementException(
          ("Filter %s is being replaced by another process, which has read %s keys of %s. Let"
                  + " it finish. If that process is gone, try again in %s s.")
              .formatted(
                  filter.name(), record.keysRead(), record.source(), IDLE_AFTER.toSeconds()));
    }
    ReplacementRows.takeOver(tx, filter.id(), owner, source.description());
    if (!record.source().equals(source.description())) {
      ReplacementRows.progress(tx, filter.id(), owner, ReplacementRecord.Phase.REPLAYING, 0);
    }
    return true;
  }

  private ReplacementRecord find(Tx tx, FilterRecord filter) {
    return ReplacementRows.find(tx, filter.id(), IDLE_AFTER)
        .orElseThrow(
            () ->
                new CorruptFilterException(
                    ("Filter %s has a generation that is being filled, but no row in"
                            + " bloom_replacement. Abort the replacement, and start it again.")
                        .formatted(filter.name())));
  }

  /** One that holds all keys alone, as if the filter had been reserved with it. */
  private GenerationRecord larger(FilterRecord filter, FilterHead head, int number, long capacity) {
    long keys = head.keysSet() - head.keysRemoved();
    if (capacity <= keys) {
      throw new InvalidParameterException(
          ("Filter %s holds %s keys, so it cannot be replaced by one of capacity %s. Give a"
                  + " new total that is larger.")
              .formatted(filter.name(), keys, capacity));
    }
    return filter.sole(number, head.lastSeq() + 1, capacity);
  }

  private OngoingReplacement ongoing(FilterRecord filter) {
    return new OngoingReplacement(filter);
  }

  private FilterHead lockActive(Tx tx, FilterRecord filter) {
    return directory.lockActive(tx, filter, "be replaced");
  }

  /**
   * Returns false if what was verified is no longer so, since a failover lost entries: the old
   * generations may hold keys then that the new one lacks.
   */
  private boolean cutOver(FilterRecord filter, long owner, Cursor verified) {
    long token = Tokens.next();
    OngoingReplacement ongoing = ongoing(filter);
    return directory.askPatiently(
        tx -> {
          FilterHead head = ongoing.lockHead(tx);
          // After a lost COMMIT this is done again.
          if (head.generationToken() == token) {
            return true;
          }
          ongoing.requireGoesOn(head);
          if (find(tx, filter).owner() != owner) {
            throw ongoing.takenOver();
          }
          if (!Journal.holds(tx, filter.id(), verified)) {
            return false;
          }
          GenerationRows.cutOver(tx, filter.with(head, filter.set()), token);
          recount(tx, filter, head);
          ReplacementRows.delete(tx, filter.id());
          return true;
        });
  }

  /** Counts no key anymore that was removed before the new generation began. */
  private static void recount(Tx tx, FilterRecord filter, FilterHead head) {
    RemovalRecord removal = filter.removal();
    if (removal == null) {
      return;
    }
    long since = Objects.requireNonNull(filter.set().target()).sinceSeq();
    long removed = RemovedCount.after(tx, filter, removal, since);
    Catalog.setKeysRemoved(tx, filter.id(), removed);
    if (!head.countsDown()) {
      Catalog.setKeysAdded(tx, filter.id(), head.keysAdded() - (head.keysRemoved() - removed));
    }
  }

  /** Gives a replacement up, if there is one, and drops the tables that are of no use anymore. */
  public void abort(FilterName name) {
    FilterRecord filter = directory.require(name);
    if (filter.set().target() != null) {
      directory.askPatiently(tx -> abort(tx, filter));
      awaitLease(filter);
    }
    dropLeftTables(filter);
  }

  private boolean abort(Tx tx, FilterRecord filter) {
    FilterHead head = lockActive(tx, filter);
    if (filter.knows(head)) {
      ReplacementRows.delete(tx, filter.id());
      GenerationRows.abort(tx, filter.with(head, filter.set()), Tokens.next());
    }
    return true;
  }

  /** Returns true if a process works on a replacement of the filter now. */
  boolean isUnderWay(FilterName name) {
    return record(directory.require(name)).filter(record -> !record.idle()).isPresent();
  }

  /** How far the replacement of a filter is, if there is one. */
  public Optional<Replacement> status(FilterName name) {
    FilterRecord filter = directory.require(name);
    return record(filter).map(ongoing(filter)::status);
  }

  private Optional<ReplacementRecord> record(FilterRecord filter) {
    return filter.set().target() == null
        ? Optional.empty()
        : directory.ask(tx -> ReplacementRows.find(tx, filter.id(), IDLE_AFTER));
  }

  /**
   * Waits until the transactions of applications have ended in which a key was answered "seen" by
   * what was known before the new generation began to be filled. What they write beside that answer
   * is committed then, and so in the source.
   */
  private void awaitTransactionsOfBefore(FilterRecord filter) {
    GenerationRecord target = filter.set().target();
    if (target == null) {
      throw ongoing(filter).over();
    }
    try {
      directory.askPatiently(
          tx -> {
            Catalog.awaitSharers(tx, filter.id(), target.number(), LONGEST_IN_THE_WAY);
            return true;
          });
    } catch (FilterUnavailableException e) {
      throw e.getCause() instanceof DatabaseFailure f && f.gaveUpWaiting() ? held(filter, e) : e;
    }
  }

  private static FilterUnavailableException held(FilterRecord filter, RuntimeException e) {
    return new FilterUnavailableException(
        ("Filter %s is not replaced yet: an application added keys within a transaction"
                + " (BloomFilter.within) before the replacement began, and that transaction has not"
                + " ended. End it, then replace again; that continues where this stopped.")
            .formatted(filter.name()),
        e);
  }

  /** Until then processes may answer from what they read before. */
  private void awaitLease(FilterRecord filter) {
    LeaseEnd.await(engines.context(filter), directory.time().nanoTime());
  }

  private void dropLeftTables(FilterRecord filter) {
    try {
      new Clearing(engines.context(filter), FilterDirectory.STEP_TIMEOUT).dropLeftTables();
    } catch (SchemaException | FilterUnavailableException e) {
      throw new SchemaException(
          ("Filter %s is as it should be, but its old tables could not be dropped: %s Abort"
                  + " its replacement with an account that may drop tables; that only drops the old"
                  + " tables.")
              .formatted(filter.name(), e.getMessage()),
          e);
    }
  }
}
