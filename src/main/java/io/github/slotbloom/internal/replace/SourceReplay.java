package io.github.slotbloom.internal.replace;

import io.github.slotbloom.ReplaceOptions;
import io.github.slotbloom.error.ReplacementException;
import io.github.slotbloom.internal.admin.FilterDirectory;
import io.github.slotbloom.internal.admin.OngoingReplacement;
import io.github.slotbloom.internal.bits.Hashes;
import io.github.slotbloom.internal.context.Waiting;
import io.github.slotbloom.internal.engine.FilterEngines;
import io.github.slotbloom.internal.failure.Retry;
import io.github.slotbloom.internal.membership.SourceKeys;
import io.github.slotbloom.internal.membership.SourceLookup;
import io.github.slotbloom.internal.store.catalog.ReplacementRows;
import io.github.slotbloom.internal.store.filter.Cursor;
import io.github.slotbloom.internal.store.filter.FilterHead;
import io.github.slotbloom.internal.store.filter.FilterRecord;
import io.github.slotbloom.internal.store.filter.KeyCounts;
import io.github.slotbloom.internal.store.filter.ReplacementRecord;
import io.github.slotbloom.internal.store.journal.Journal;
import io.github.slotbloom.internal.store.journal.JournalAppend;
import io.github.slotbloom.internal.store.journal.JournalChain;
import io.github.slotbloom.internal.store.journal.JournalEntry;
import io.github.slotbloom.internal.store.journal.JournalEntry.Kind;
import io.github.slotbloom.internal.store.session.Tx;
import io.github.slotbloom.internal.transfer.HashSource;
import io.github.slotbloom.report.Replacement.Phase;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.PrimitiveIterator;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.IntSupplier;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Brings the keys of a source into the generation that is being filled, and then asks it for each
 * of them. How far it is stands in the database with what it wrote, in one transaction, so another
 * process can go on from there. Not thread-safe.
 */
final class SourceReplay {

  private static final int KEYS_PER_LOOK_UP = 1024;

  /**
   * Each fold may write most slots of the generation, so the fewer the better. But those who ask
   * the tables read what is not folded.
   */
  private static final int FILLS_BETWEEN_FOLDS = 4096;

  /** Often enough for whoever watches the progress. */
  private static final long SAY_NANOS = TimeUnit.SECONDS.toNanos(1);

  /** A source that keeps bringing other keys is not one that can be verified. */
  private static final int MOST_PASSES = 5;

  private final FilterDirectory directory;
  private final FilterEngines engines;
  private final FilterRecord filter;
  private final OngoingReplacement ongoing;
  private final HashSource source;
  private final ReplaceOptions options;
  private final Pace pace;
  private final RemovedBefore removedBefore;
  private ReplacementRecord record;
  private int fillsSinceFold;
  private long lastSeq;
  private long saidNanos;

  /**
   * @param filter with the generation that is being filled
   * @param record of which this process is the owner
   */
  SourceReplay(
      FilterDirectory directory,
      FilterEngines engines,
      FilterRecord filter,
      OngoingReplacement ongoing,
      ReplacementRecord record,
      HashSource source,
      ReplaceOptions options) {
    this.directory = directory;
    this.engines = engines;
    this.filter = filter;
    this.ongoing = ongoing;
    this.record = record;
    this.source = source;
    this.options = options;
    this.pace = new Pace(options.keysPerSecond(), directory.time());
    this.removedBefore = new RemovedBefore(directory, filter);
  }

  /**
   * Replays what is not replayed yet, and verifies everything.
   *
   * @return the end of the journal when the last key was found; if the journal does not hold that
   *     entry anymore, keys that were found may be missing
   * @throws ReplacementException if the replacement was aborted, or another process continues it,
   *     or the source lacks keys or keeps changing
   */
  Cursor run() {
    if (filter.removable()) {
      // Then the table tells of all keys that were removed before this began.
      fold();
    }
    if (record.progress().phase() == Phase.REPLAYING) {
      replay();
    }
    for (int pass = 1; pass <= MOST_PASSES; pass++) {
      Optional<Cursor> verified = verify();
      if (verified.isPresent()) {
        return verified.get();
      }
    }
    throw new ReplacementException(
        ("Filter %s cannot be replaced yet: each time %s was read, it had new keys. Stop adding"
                + " keys to the source, or use another one.")
            .formatted(filter.name(), source.description()));
  }

  private void replay() {
    forEachBatch(
        record.progress().keysRead(),
        pace::keys,
        batch -> {
          long begun = directory.time().nanoTime();
          fill(batch, Phase.REPLAYING, record.progress().keysRead() + batch.length);
          pace.rest(batch.length, directory.time().nanoTime() - begun);
        });
    say(Phase.VERIFYING, 0);
  }

  /** Returns empty if a key was missing; those that were are there now. */
  private Optional<Cursor> verify() {
    fold();
    say(Phase.VERIFYING, 0);
    // In the present tables, not in the data of an earlier pass.
    SourceLookup lookup = engines.sourceLookup(filter);
    lookup.load(Retry.PATIENT);
    Pass pass = new Pass(lookup);
    forEachBatch(0, () -> KEYS_PER_LOOK_UP, pass::take);
    if (!pass.complete) {
      return Optional.empty();
    }
    if (pass.distinct != null) {
      requireAllKeys(pass.distinct, pass.end.seq());
    }
    return Optional.of(pass.end);
  }

  /** Looks once for each key of the source. */
  private final class Pass {
    private final SourceLookup lookup;

    /** The keys that were found in the old generations; null if nobody asks for their number. */
    private final @Nullable DistinctHashes distinct =
        options.isForced() ? null : new DistinctHashes(record.progress().keysBefore());

    private Cursor end = directory.require(filter).head().end();
    private long keysRead;
    private boolean complete = true;

    Pass(SourceLookup lookup) {
      this.lookup = lookup;
    }

    void take(long[] batch) {
      long[] wanted = removedBefore.without(batch);
      SourceKeys found = directory.patiently(() -> lookup.find(wanted, Waiting.STEP_TIMEOUT));
      Cursor before = end;
      // A failover may lose entries, and with them keys that were found.
      complete &= directory.askPatiently(tx -> Journal.holds(tx, filter.id(), before));
      end = found.end();
      if (distinct != null) {
        // Other keys would make up for those that the source lacks.
        distinct.addAll(Hashes.where(wanted, i -> found.before()[i]));
      }
      keysRead += batch.length;
      long[] lacking = Hashes.where(wanted, i -> found.lacking()[i]);
      if (lacking.length > 0) {
        complete &= fill(lacking, Phase.VERIFYING, keysRead) == 0;
      } else if (directory.time().nanoTime() - saidNanos > SAY_NANOS) {
        say(Phase.VERIFYING, keysRead);
      }
    }
  }

  /**
   * A source that is written to has keys that were added meanwhile, which would make up for those
   * from before that it lacks. It need not have keys that were removed meanwhile.
   *
   * @param last the last entry to look at
   */
  private void requireAllKeys(DistinctHashes distinct, long last) {
    Set<Long> removed = new HashSet<>();
    LongStream.Builder notCounted = LongStream.builder();
    entries(last)
        .filter(entry -> entry.kind().decidesRemoval())
        .forEach(
            entry -> {
              for (long hash : entry.hashes()) {
                if (entry.kind() == Kind.REMOVE) {
                  removed.add(hash);
                } else if (filter.head().countsDown() && !removed.contains(hash)) {
                  // Removed before the replacement began, so not counted then.
                  notCounted.add(hash);
                }
              }
              distinct.addAll(entry.hashes());
            });
    LongStream added =
        entries(last)
            .filter(entry -> entry.kind() == Kind.ADD)
            .flatMapToLong(entry -> LongStream.of(entry.hashes()));
    long keys = distinct.countWithout(LongStream.concat(notCounted.build(), added));
    if (keys < record.progress().keysBefore() - removedBefore.counted()) {
      throw sourceLacksKeys(keys);
    }
  }

  /** Returns the entries from the beginning of the replacement on. */
  private Stream<JournalEntry> entries(long last) {
    long begun = Objects.requireNonNull(filter.manifest().target()).sinceSeq();
    return Stream.iterate(
            since(begun, last),
            page -> !page.isEmpty(),
            page -> since(page.get(page.size() - 1).seq(), last))
        .flatMap(List::stream);
  }

  private List<JournalEntry> since(long seq, long last) {
    return directory.askPatiently(
        tx -> Journal.next(tx, filter, JournalChain.after(filter.name(), seq), last));
  }

  private ReplacementException sourceLacksKeys(long keys) {
    return new ReplacementException(
        ("Filter %1$s was not replaced: %2$s keys were added to it before, but %3$s has only %4$s"
                + " of them.%5$s Until the replacement ends, the filter keeps its capacity of %6$s"
                + " keys unless it grows. Replace it again from a source that has all keys (slotbloom"
                + " grow %1$s --capacity %7$s --from ...); %8$s. Or abort the replacement (slotbloom"
                + " grow %1$s --abort).")
            .formatted(
                filter.name(),
                record.progress().keysBefore(),
                source.description(),
                keys,
                filter.head().merged()
                    ? " Other filters were merged into this one, so the number of its keys is an"
                        + " estimate, and may be a few tenths of a percent too high."
                    : "",
                directory.require(filter).capacity(),
                record.progress().capacity(),
                filter.retainHashes() && !source.areRetained()
                    ? "its own hashes are such a source (--from-journal)"
                    : "add --force if it may forget the missing keys"));
  }

  private void forEachBatch(long skipped, IntSupplier mostKeys, Consumer<long[]> work) {
    try (LongStream hashes = open()) {
      PrimitiveIterator.OfLong all = hashes.skip(skipped).iterator();
      long[] batch = next(all, mostKeys.getAsInt());
      while (batch.length > 0) {
        work.accept(batch);
        batch = next(all, mostKeys.getAsInt());
      }
    }
  }

  private LongStream open() {
    return source.open(
        directory,
        filter,
        e ->
            new ReplacementException(
                ("The source of filter %s, %s, could not be read: %s. Fix that, then replace again,"
                        + " which continues where this stopped.")
                    .formatted(filter.name(), source.description(), e)));
  }

  private long[] next(PrimitiveIterator.OfLong all, int most) {
    if (Thread.currentThread().isInterrupted()) {
      throw new ReplacementException(
          ("The replacement of filter %s was interrupted after %s keys. Replace the filter"
                  + " again to continue, or abort the replacement.")
              .formatted(filter.name(), record.progress().keysRead()));
    }
    return HashSource.nextBatch(all, most);
  }

  /** Returns how many of the hashes were filled. Those that are removed by now are not. */
  private int fill(long[] hashes, Phase phase, long keysRead) {
    AtomicInteger filled = new AtomicInteger();
    FilterHead head =
        directory.askPatiently(
            tx -> {
              FilterHead locked = ongoing.lock(tx);
              // If a removed key were filled now, its newest entry would say that it is held.
              long[] held = engines.tables(filter).notRemovedUnderLock(tx, hashes);
              append(tx, locked, held);
              note(tx, phase, keysRead);
              filled.set(held.length);
              return locked;
            });
    pace.sawOthers(head.lastSeq() != lastSeq);
    // They fit into one entry.
    lastSeq = head.lastSeq() + (filled.get() > 0 ? 1 : 0);
    told(phase, keysRead);
    fillsSinceFold++;
    if (fillsSinceFold >= FILLS_BETWEEN_FOLDS) {
      fold();
    }
    return filled.get();
  }

  private void append(Tx tx, FilterHead head, long[] hashes) {
    List<JournalEntry> entries = Journal.chain(head.end(), Kind.FILL, hashes);
    if (!entries.isEmpty()) {
      JournalAppend.append(tx, filter.id(), entries, KeyCounts.NONE);
    }
  }

  private void say(Phase phase, long keysRead) {
    directory.askPatiently(
        tx -> {
          ongoing.lock(tx);
          note(tx, phase, keysRead);
          return true;
        });
    told(phase, keysRead);
  }

  private void told(Phase phase, long keysRead) {
    saidNanos = directory.time().nanoTime();
    record = record.at(phase, keysRead);
    options.progress().accept(record.progress());
  }

  private void note(Tx tx, Phase phase, long keysRead) {
    if (!ReplacementRows.progress(tx, filter.id(), record.owner(), phase, keysRead)) {
      throw ongoing.takenOver();
    }
  }

  private void fold() {
    directory.patiently(
        () -> {
          engines.folder(filter).foldAll();
          return true;
        });
    fillsSinceFold = 0;
  }
}
