package io.github.slotbloom.internal.admin;

import io.github.slotbloom.ReplaceOptions;
import io.github.slotbloom.error.ReplacementException;
import io.github.slotbloom.internal.ask.DirectKeys;
import io.github.slotbloom.internal.ask.SourceKeys;
import io.github.slotbloom.internal.ask.SourceLookup;
import io.github.slotbloom.internal.bits.Hashes;
import io.github.slotbloom.internal.engine.FilterEngines;
import io.github.slotbloom.internal.failure.Retry;
import io.github.slotbloom.internal.fold.Folder;
import io.github.slotbloom.internal.store.Tokens;
import io.github.slotbloom.internal.store.Tx;
import io.github.slotbloom.internal.store.catalog.FilterHead;
import io.github.slotbloom.internal.store.catalog.FilterRecord;
import io.github.slotbloom.internal.store.catalog.GenerationRows;
import io.github.slotbloom.internal.store.catalog.ReplacementRecord;
import io.github.slotbloom.internal.store.catalog.ReplacementRecord.Phase;
import io.github.slotbloom.internal.store.catalog.ReplacementRows;
import io.github.slotbloom.internal.store.journal.Cursor;
import io.github.slotbloom.internal.store.journal.Journal;
import io.github.slotbloom.internal.store.journal.JournalEntry;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.PrimitiveIterator;
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

  /** Each fold may write most slots of the generation, so the fewer the better. */
  private static final int KEYS_BETWEEN_FOLDS = 2_000_000;

  /** However few keys each brings: those who ask the tables read what is not folded. */
  private static final int FILLS_BETWEEN_FOLDS = 4096;

  /** A process that says nothing for longer is taken for dead. */
  private static final long SAY_NANOS = TimeUnit.SECONDS.toNanos(1);

  /** A source that keeps bringing other keys is not one that can be verified. */
  private static final int MOST_PASSES = 5;

  private final FilterDirectory directory;
  private final FilterEngines engines;
  private final FilterRecord filter;
  private final OngoingReplacement ongoing;
  private final HashSource source;
  private final ReplaceOptions options;
  private final long owner;
  private final Pace pace;
  private ReplacementRecord record;
  private int keysSinceFold;
  private int fillsSinceFold;
  private long lastSeq;
  private long saidNanos;
  private @Nullable Cursor verified;
  private boolean lostEntries;
  private long lacking;
  private final RemovedBefore removedBefore;
  private ForgottenKeys forgotten = ForgottenKeys.NONE;

  /**
   * True if the source may hold keys that an earlier replacement was made to forget, or whose bits
   * a merge did not bring before it broke off. They must not come back, nor come uncounted, so only
   * those are filled that the old generations hold.
   */
  private final boolean heldOnly;

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
    this.owner = record.owner();
    this.source = source;
    this.options = options;
    this.pace = new Pace(options.keysPerSecond(), directory.time());
    this.removedBefore = new RemovedBefore(directory, filter);
    this.heldOnly =
        source.areRetained()
            && ((filter.removable() && filter.set().mayHaveForgotten()) || filter.head().merged());
  }

  /**
   * Replays what is not replayed yet, and verifies everything.
   *
   * @return how many distinct keys from before the new generation has: those of the source that the
   *     old generations held before, or wrongly take for theirs, and those that were removed since
   * @throws ReplacementException if the replacement was given up, or another process goes on with
   *     it, or the source keeps changing
   */
  long run() {
    if (filter.removable()) {
      // Then the table tells of all keys that were removed before this began.
      fold();
    }
    if (record.phase() == Phase.REPLAYING) {
      replay();
    }
    for (int pass = 1; pass <= MOST_PASSES; pass++) {
      DistinctHashes distinct = distinctOfPart(0);
      SourceLookup lookup = lookup();
      if (verify(lookup, distinct)) {
        lacking = 0;
        long last = verified == null ? directory.require(filter).head().lastSeq() : verified.seq();
        long count =
            countOtherParts(lookup, countOfBefore(distinct, last), last)
                + removedBefore.filledSince(last);
        if (filter.head().countsDown() && !source.areRetained()) {
          forgotten = ForgottenKeys.find(directory, filter, batch -> find(lookup, batch));
        }
        return count;
      }
    }
    throw new ReplacementException(
        ("Filter %s cannot be replaced yet: each time %s was read, it had keys that were not"
                + " there before. Stop adding keys to it, or give another source.")
            .formatted(filter.name(), source.description()));
  }

  private void replay() {
    SourceLookup old = heldOnly ? loaded() : null;
    forEachBatch(
        record.keysRead(),
        pace::keys,
        batch -> {
          long begun = directory.time().nanoTime();
          long[] held = old == null ? batch : held(old, batch);
          fill(held, Phase.REPLAYING, record.keysRead() + batch.length);
          pace.rest(batch.length, directory.time().nanoTime() - begun);
        });
    say(Phase.VERIFYING, 0);
  }

  /**
   * Returns the end of the journal when the last key was found; empty if there was no key. If the
   * journal does not hold that entry anymore, keys that were found may be missing.
   */
  Optional<Cursor> verified() {
    return Optional.ofNullable(verified);
  }

  /**
   * Counts the keys that the journal still shows as added to the old generations and that the
   * source lacks. Other keys cannot replace them, whatever the old generations take for members.
   */
  long lacking() {
    return lacking;
  }

  /** Returns the keys that are counted and that the source lacks, if the filter can tell. */
  ForgottenKeys forgotten() {
    return forgotten;
  }

  /** Creates a lookup in the present tables, not in the data of an earlier verification. */
  private SourceLookup lookup() {
    fold();
    say(Phase.VERIFYING, 0);
    return loaded();
  }

  private SourceLookup loaded() {
    SourceLookup lookup = new SourceLookup(engines.context(filter));
    lookup.load(Retry.PATIENT);
    return lookup;
  }

  /** Returns whether no key was missing; those that were are there now. */
  private boolean verify(SourceLookup lookup, DistinctHashes distinct) {
    verified = null;
    lostEntries = false;
    boolean complete = true;
    long keysRead = 0;
    try (LongStream hashes = open()) {
      PrimitiveIterator.OfLong all = hashes.iterator();
      for (long[] batch = next(all, KEYS_PER_LOOK_UP);
          batch.length > 0;
          batch = next(all, KEYS_PER_LOOK_UP)) {
        long[] lacking = lacking(lookup, removedBefore.without(batch), distinct);
        keysRead += batch.length;
        if (lacking.length > 0) {
          complete &= fill(lacking, Phase.VERIFYING, keysRead) == 0;
        } else if (directory.time().nanoTime() - saidNanos > SAY_NANOS) {
          say(Phase.VERIFYING, keysRead);
        }
      }
    }
    return complete && !lostEntries;
  }

  private long countOtherParts(SourceLookup lookup, long firstPart, long last) {
    long count = firstPart;
    int parts = DistinctHashes.partsFor(record.keysBefore());
    for (int part = 1; part < parts; part++) {
      DistinctHashes distinct = distinctOfPart(part);
      forEachBatch(
          0,
          () -> KEYS_PER_LOOK_UP,
          batch -> {
            long[] there = removedBefore.without(batch);
            count(there, find(lookup, there), distinct);
            if (directory.time().nanoTime() - saidNanos > SAY_NANOS) {
              say(Phase.VERIFYING, record.keysRead());
            }
          });
      count += countOfBefore(distinct, last);
    }
    return count;
  }

  /**
   * A source that is written to has keys that were added meanwhile. They would make up for those
   * from before that it lacks. Those that were removed meanwhile are counted by themselves.
   */
  private long countOfBefore(DistinctHashes distinct, long last) {
    long begun = Objects.requireNonNull(filter.set().target()).sinceSeq();
    // What a replacement before this one was made to forget may still be in the journal.
    long oldest = filter.generations().get(0).sinceSeq();
    long[] removed = removedBefore.everRemoved();
    lacking +=
        distinct.countLacking(
            hashes(
                    entriesAfter(oldest)
                        .takeWhile(entry -> entry.seq() <= begun)
                        .filter(entry -> entry.kind().adds()))
                .filter(hash -> Arrays.binarySearch(removed, hash) < 0));
    return distinct.countWithout(
        hashes(entriesAfter(begun).takeWhile(entry -> entry.seq() <= last)));
  }

  private static LongStream hashes(Stream<JournalEntry> entries) {
    return entries.flatMapToLong(entry -> LongStream.of(entry.hashes()));
  }

  private Stream<JournalEntry> entriesAfter(long seq) {
    return Stream.iterate(
            pageAfter(seq),
            page -> !page.isEmpty(),
            page -> pageAfter(page.get(page.size() - 1).seq()))
        .flatMap(List::stream);
  }

  private List<JournalEntry> pageAfter(long seq) {
    return directory.askPatiently(tx -> Journal.addedOrRemoved(tx, filter, seq));
  }

  private DistinctHashes distinctOfPart(int part) {
    return new DistinctHashes(DistinctHashes.partsFor(record.keysBefore()), part);
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
                ("The source of filter %s, %s, could not be read: %s. Fix that, then replace"
                        + " again; that continues where this stopped.")
                    .formatted(filter.name(), source.description(), e)));
  }

  private long[] next(PrimitiveIterator.OfLong all, int most) {
    if (Thread.currentThread().isInterrupted()) {
      throw new ReplacementException(
          ("The replacement of filter %s was interrupted after %s keys. Replace the filter"
                  + " again to continue, or abort the replacement.")
              .formatted(filter.name(), record.keysRead()));
    }
    return HashSource.nextBatch(all, most);
  }

  private SourceKeys find(SourceLookup lookup, long[] batch) {
    return directory.patiently(() -> lookup.find(batch, FilterDirectory.STEP_TIMEOUT));
  }

  /** Other keys would make up for those that the source lacks. */
  private static void count(long[] batch, SourceKeys found, DistinctHashes distinct) {
    for (int i = 0; i < batch.length; i++) {
      if (found.before()[i]) {
        distinct.add(batch[i]);
      }
    }
  }

  private long[] lacking(SourceLookup lookup, long[] batch, DistinctHashes distinct) {
    SourceKeys found = find(lookup, batch);
    count(batch, found, distinct);
    Cursor before = verified;
    lostEntries |=
        before != null && !directory.askPatiently(tx -> Journal.holds(tx, filter.id(), before));
    verified = found.end();
    return Hashes.where(batch, i -> found.lacking()[i] && (found.before()[i] || !heldOnly));
  }

  private long[] held(SourceLookup old, long[] batch) {
    boolean[] before = find(old, batch).before();
    return Hashes.where(batch, i -> before[i]);
  }

  /** Returns how many of the hashes were filled. Those that are removed by now are not. */
  private int fill(long[] hashes, Phase phase, long keysRead) {
    AtomicInteger filled = new AtomicInteger();
    FilterHead head =
        directory.askPatiently(
            tx -> {
              FilterHead locked = ongoing.lock(tx);
              long[] held = notRemoved(tx, hashes);
              GenerationRows.fill(tx, filter.id(), locked, held, Tokens::next);
              note(tx, phase, keysRead);
              filled.set(held.length);
              return locked;
            });
    pace.sawOthers(head.lastSeq() != lastSeq);
    // They fit into one entry.
    lastSeq = head.lastSeq() + (filled.get() > 0 ? 1 : 0);
    told(phase, keysRead);
    keysSinceFold += filled.get();
    fillsSinceFold++;
    if (keysSinceFold >= KEYS_BETWEEN_FOLDS || fillsSinceFold >= FILLS_BETWEEN_FOLDS) {
      fold();
    }
    return filled.get();
  }

  /** If such a key were filled now, its newest entry would say that it is held. */
  private long[] notRemoved(Tx tx, long[] hashes) {
    return new DirectKeys(engines.context(filter)).notRemovedUnderLock(tx, hashes);
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
    options.progress().accept(ongoing.status(record));
  }

  private void note(Tx tx, Phase phase, long keysRead) {
    if (!ReplacementRows.progress(tx, filter.id(), owner, phase, keysRead)) {
      throw ongoing.takenOver();
    }
  }

  private void fold() {
    directory.patiently(
        () -> {
          new Folder(engines.context(filter)).foldAll(FilterDirectory.STEP_TIMEOUT);
          return true;
        });
    keysSinceFold = 0;
    fillsSinceFold = 0;
  }
}
