package io.github.slotbloom.internal.replace;

import io.github.slotbloom.ReplaceOptions;
import io.github.slotbloom.core.FilterName;
import io.github.slotbloom.core.Sizing;
import io.github.slotbloom.error.CorruptFilterException;
import io.github.slotbloom.error.FilterUnavailableException;
import io.github.slotbloom.error.InvalidParameterException;
import io.github.slotbloom.error.ReplacementException;
import io.github.slotbloom.error.SchemaException;
import io.github.slotbloom.internal.admin.FilterDirectory;
import io.github.slotbloom.internal.admin.OngoingReplacement;
import io.github.slotbloom.internal.admin.RemovedCount;
import io.github.slotbloom.internal.admin.SignOfLife;
import io.github.slotbloom.internal.admin.SlotTables;
import io.github.slotbloom.internal.context.FollowedFilter;
import io.github.slotbloom.internal.context.RetriedTransactions;
import io.github.slotbloom.internal.engine.FilterEngines;
import io.github.slotbloom.internal.fold.LeftTables;
import io.github.slotbloom.internal.store.Tokens;
import io.github.slotbloom.internal.store.catalog.Catalog;
import io.github.slotbloom.internal.store.catalog.ReplacementRows;
import io.github.slotbloom.internal.store.catalog.TableRows;
import io.github.slotbloom.internal.store.filter.Cursor;
import io.github.slotbloom.internal.store.filter.FilterHead;
import io.github.slotbloom.internal.store.filter.FilterRecord;
import io.github.slotbloom.internal.store.filter.GenerationRecord;
import io.github.slotbloom.internal.store.filter.Manifest;
import io.github.slotbloom.internal.store.filter.ReplacementRecord;
import io.github.slotbloom.internal.store.journal.Journal;
import io.github.slotbloom.internal.store.journal.ManifestRows;
import io.github.slotbloom.internal.store.session.DatabaseFailure;
import io.github.slotbloom.internal.store.session.Tx;
import io.github.slotbloom.internal.transfer.HashSource;
import io.github.slotbloom.report.Replacement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * Replaces the generations of a filter by one that is sized for more keys, while others use it.
 *
 * <p>From an entry of the journal on new keys go to the new generation as well, and so does every
 * key that is found to be in the filter while the new one lacks it. The keys from before come from
 * a source. It is opened a lease later, when no process answers anymore from what it knew before
 * that entry, and when the transactions of applications that were answered so have ended. Once
 * every key of the source is found in the new generation another entry lets it answer alone. A
 * lease later nobody reads the old ones, and their tables are dropped.
 */
public final class Replacing {

  private static final String BE_REPLACED = "be replaced";

  /** A process that works on it gives a sign of life far more often. */
  private static final Duration IDLE_AFTER = Duration.ofSeconds(15);

  /**
   * A waiter for an exclusive lock blocks others who could share the lock: those who share it again
   * once the replacement was aborted, while this waits.
   */
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
   * Replaces them, or continues what another process began and did not finish.
   *
   * @param capacity keys that the filter is to hold in all
   */
  public void replace(FilterName name, long capacity, HashSource source, ReplaceOptions options) {
    Sizing.requireCapacity(capacity);
    FilterRecord before = directory.require(name);
    before.requireEverlasting(BE_REPLACED);
    source.requireFits(before);
    if (!options.isForced()) {
      DistinctHashes.requireRoom(name, before.head().keysAdded());
    } else if (before.retainHashes() && !source.areRetained()) {
      throw new InvalidParameterException(
          ("Filter %s retains the hashes of its keys, so it cannot forget those that a source"
                  + " lacks. Use a source that has all keys, without --force, or its own hashes"
                  + " (--from-journal). To drop keys, remove them (slotbloom remove) if the"
                  + " filter was"
                  + " created with --removable.")
              .formatted(name));
    }
    if (endedAtItsEnd(name, capacity)) {
      return;
    }
    long owner = Tokens.next();
    FilterRecord filter = begin(name, capacity, source, owner);
    SignOfLife life =
        new SignOfLife(
            engines,
            directory.time(),
            () -> directory.run(tx -> ReplacementRows.live(tx, filter.id(), owner)));
    try {
      // Until then processes may answer from what they read before.
      engines.awaitLease(filter);
      awaitTransactionsOfBefore(filter);
      while (!cutOver(filter, owner, fill(filter, owner, source, options))) {}
    } catch (RuntimeException | Error e) {
      release(filter, owner, e);
      throw e;
    } finally {
      life.end();
    }
    dropLeftTables(filter, () -> requireReplaced(filter));
  }

  private void requireReplaced(FilterRecord filter) {
    if (new OngoingReplacement(filter).isIn(directory.require(filter))) {
      throw new ReplacementException(
          ("Filter %s was replaced, but a failover undid the replacement. Replace it again, which"
                  + " continues where it stopped.")
              .formatted(filter.name()));
    }
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
    OngoingReplacement ongoing = new OngoingReplacement(filter);
    ReplacementRecord record =
        directory
            .askPatiently(tx -> ReplacementRows.find(tx, filter, IDLE_AFTER))
            .orElseThrow(ongoing::over);
    if (record.owner() != owner) {
      throw ongoing.takenOver();
    }
    return new SourceReplay(directory, engines, filter, ongoing, record, source, options).run();
  }

  /** Drops what was left behind; true if that was all that was left to be done. */
  private boolean endedAtItsEnd(FilterName name, long capacity) {
    FilterRecord filter = directory.require(name);
    GenerationRecord oldest = filter.generations().get(0);
    List<Integer> left = directory.askPatiently(tx -> TableRows.leftAndMade(tx, filter));
    if (!left.isEmpty()) {
      dropLeftTables(filter, () -> {});
    }
    // What was given up may be left as well, of a later replacement than the one that took place.
    boolean replaced = left.stream().anyMatch(number -> number < oldest.number());
    return replaced
        && filter.manifest().target() == null
        && oldest.cutoverSeq() > 0
        && oldest.capacity() == capacity;
  }

  /** Returns the filter with a generation that is being filled, for this process to go on with. */
  private FilterRecord begin(FilterName name, long capacity, HashSource source, long owner) {
    FilterRecord found = directory.require(name);
    while (true) {
      FilterRecord filter = found;
      boolean begun =
          filter.manifest().target() == null
              ? directory.patiently(
                  () ->
                      slotTables.makeNext(
                          filter,
                          "replace",
                          tx -> announcement(tx, filter, capacity, source, owner)))
              : directory.askPatiently(tx -> resume(tx, filter, capacity, source, owner));
      found = directory.require(filter);
      if (begun) {
        return found;
      }
    }
  }

  /** Returns what begins it; empty if the generations of the filter are others by now. */
  private Optional<Runnable> announcement(
      Tx tx, FilterRecord filter, long capacity, HashSource source, long owner) {
    return directory
        .lockKnown(tx, filter, BE_REPLACED)
        .map(
            now -> {
              GenerationRecord generation = larger(now, capacity);
              return () -> {
                Manifest manifest = now.manifest().filling(generation);
                // Only the others answer until the cut-over.
                ManifestRows.append(tx, now, manifest, now.capacity());
                ReplacementRows.insert(
                    tx, now.id(), now.head(), generation, owner, source.description());
              };
            });
  }

  /** Returns false if the generations of the filter are others by now. */
  private boolean resume(Tx tx, FilterRecord filter, long capacity, HashSource source, long owner) {
    if (directory.lockKnown(tx, filter, BE_REPLACED).isEmpty()) {
      return false;
    }
    ReplacementRecord record = find(tx, filter);
    Replacement progress = record.progress();
    if (progress.capacity() != capacity) {
      throw new InvalidParameterException(
          ("Filter %s is being replaced by one with a capacity of %s, so it cannot be replaced by"
                  + " one with %s. Finish that replacement with its capacity, or abort it.")
              .formatted(filter.name(), progress.capacity(), capacity));
    }
    if (!record.idle() && record.owner() != owner) {
      throw new ReplacementException(
          ("Filter %s is being replaced by another process, which has read %s keys of %s. Let"
                  + " it finish. If that process is gone, try again in %s s.")
              .formatted(
                  filter.name(), progress.keysRead(), progress.source(), IDLE_AFTER.toSeconds()));
    }
    ReplacementRows.takeOver(tx, filter.id(), owner, source.description());
    if (!progress.source().equals(source.description())) {
      ReplacementRows.progress(tx, filter.id(), owner, Replacement.Phase.REPLAYING, 0);
    }
    return true;
  }

  private ReplacementRecord find(Tx tx, FilterRecord filter) {
    return ReplacementRows.find(tx, filter, IDLE_AFTER)
        .orElseThrow(
            () ->
                new CorruptFilterException(
                    ("Filter %s has a generation that is being filled, but no row in"
                            + " bloom_replacement. Abort the replacement, and start it again.")
                        .formatted(filter.name())));
  }

  /** One that holds all keys alone, as if the filter had been created with it. */
  private static GenerationRecord larger(FilterRecord filter, long capacity) {
    long keys = filter.head().keysSet() - filter.head().keysRemoved();
    if (capacity <= keys) {
      throw new InvalidParameterException(
          ("Filter %s holds %s keys, so it cannot be replaced by one with a capacity of %s. Use a"
                  + " larger capacity.")
              .formatted(filter.name(), keys, capacity));
    }
    return filter.sole(capacity);
  }

  /**
   * Returns false if what was verified is no longer so, since a failover lost entries: the old
   * generations may hold keys then that the new one lacks.
   */
  private boolean cutOver(FilterRecord filter, long owner, Cursor verified) {
    List<Cursor> sent = new ArrayList<>();
    OngoingReplacement ongoing = new OngoingReplacement(filter);
    return directory.askPatiently(
        tx -> {
          FilterHead head = ongoing.lockHead(tx);
          if (Journal.holdsAny(tx, filter.id(), sent)) {
            // It was committed, and the answer was lost.
            return true;
          }
          FilterRecord now = ongoing.requireGoesOn(tx, head);
          if (find(tx, filter).owner() != owner) {
            throw ongoing.takenOver();
          }
          if (!Journal.holds(tx, filter.id(), verified)) {
            return false;
          }
          sent.add(cutOver(tx, now));
          ReplacementRows.delete(tx, filter.id());
          return true;
        });
  }

  /** Counts no key anymore that was removed before the new generation began. */
  private static Cursor cutOver(Tx tx, FilterRecord now) {
    FilterHead head = now.head();
    GenerationRecord target = Objects.requireNonNull(now.manifest().target());
    long removed = now.removable() ? RemovedCount.after(tx, now, target.sinceSeq()) : 0;
    long forgotten = head.keysRemoved() - removed;
    Manifest manifest = now.manifest().cutOver(head.lastSeq() + 1, Tokens.next());
    ManifestRows.append(tx, now, manifest, capacity(manifest, head.capacity() - forgotten));
    Catalog.setKeysRemoved(tx, now.id(), removed);
    if (!head.countsDown()) {
      Catalog.setKeysAdded(tx, now.id(), Math.max(0, head.keysAdded() - forgotten));
    }
    return new Cursor(manifest.seq(), manifest.token());
  }

  /**
   * Returns the capacity after the cut-over. If the filter grew meanwhile, that made room for the
   * keys that were still to come, unless the filled generation has more than its capacity.
   */
  private static long capacity(Manifest manifest, long before) {
    long sum = manifest.read().stream().mapToLong(GenerationRecord::capacity).sum();
    return manifest.read().size() == 1 ? sum : Math.max(1, Math.min(before, sum));
  }

  /** Gives a replacement up, if there is one, and drops the tables that are of no use anymore. */
  public void abort(FilterName name) {
    FilterRecord filter = directory.require(name);
    if (filter.manifest().target() != null) {
      directory.askPatiently(tx -> abort(tx, filter));
    }
    dropLeftTables(filter, () -> {});
  }

  private boolean abort(Tx tx, FilterRecord filter) {
    FilterHead head = directory.lockActive(tx, filter, BE_REPLACED);
    FilterRecord now = Catalog.at(tx, filter, head);
    if (new OngoingReplacement(filter).isIn(now)) {
      ReplacementRows.delete(tx, filter.id());
      Manifest manifest = now.manifest().givenUp(head.lastSeq() + 1, Tokens.next());
      ManifestRows.append(tx, now, manifest, head.capacity());
    }
    return true;
  }

  /** Returns true if a process works on a replacement of the filter now. */
  boolean isUnderWay(FilterName name) {
    return record(directory.require(name)).filter(record -> !record.idle()).isPresent();
  }

  /** How far the replacement of a filter is, if there is one. */
  public Optional<Replacement> status(FilterName name) {
    return record(directory.require(name)).map(ReplacementRecord::progress);
  }

  private Optional<ReplacementRecord> record(FilterRecord filter) {
    return filter.manifest().target() == null
        ? Optional.empty()
        : directory.ask(tx -> ReplacementRows.find(tx, filter, IDLE_AFTER));
  }

  /**
   * Waits until the transactions of applications have ended in which a key was answered "seen" by
   * what was known before the new generation began to be filled. What they write beside that answer
   * is committed then, and so in the source.
   */
  private void awaitTransactionsOfBefore(FilterRecord filter) {
    GenerationRecord target = filter.manifest().target();
    if (target == null) {
      throw new OngoingReplacement(filter).over();
    }
    try {
      directory.askPatiently(
          tx -> {
            TableRows.awaitSharers(tx, filter.id(), target.number(), LONGEST_IN_THE_WAY);
            return true;
          });
    } catch (FilterUnavailableException e) {
      if (!(e.getCause() instanceof DatabaseFailure f && f.gaveUpWaiting())) {
        throw e;
      }
      throw new FilterUnavailableException(
          ("Filter %s is not replaced yet: an application added keys in a transaction"
                  + " (BloomFilter.within) before the replacement began, and that transaction has"
                  + " not"
                  + " ended. End it, then replace again, which continues where this stopped.")
              .formatted(filter.name()),
          e);
    }
  }

  /**
   * @param beforeDropping runs a lease after the tables were left
   */
  private void dropLeftTables(FilterRecord filter, Runnable beforeDropping) {
    RetriedTransactions transactions = engines.transactions(filter);
    LeftTables leftTables = new LeftTables(new FollowedFilter(filter), transactions);
    try {
      List<Integer> left = leftTables.note();
      if (!left.isEmpty()) {
        engines.awaitLease(filter);
      }
      beforeDropping.run();
      leftTables.drop(left);
    } catch (SchemaException | FilterUnavailableException e) {
      throw new SchemaException(
          ("Filter %s was replaced, but its old tables could not be dropped: %s Abort its"
                  + " replacement with an account that can drop tables, which only drops the old"
                  + " tables.")
              .formatted(filter.name(), e.getMessage()),
          e);
    }
  }
}
