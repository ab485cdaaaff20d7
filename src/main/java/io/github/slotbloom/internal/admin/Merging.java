package io.github.slotbloom.internal.admin;

import io.github.slotbloom.core.FilterName;
import io.github.slotbloom.core.Similarity;
import io.github.slotbloom.core.WhenFull;
import io.github.slotbloom.error.FilterFullException;
import io.github.slotbloom.error.FilterMismatchException;
import io.github.slotbloom.error.FilterUnavailableException;
import io.github.slotbloom.error.InvalidParameterException;
import io.github.slotbloom.internal.bits.SlotRuns;
import io.github.slotbloom.internal.engine.FilterEngines;
import io.github.slotbloom.internal.fold.Folder;
import io.github.slotbloom.internal.snapshot.SnapshotSink;
import io.github.slotbloom.internal.store.Tokens;
import io.github.slotbloom.internal.store.Tx;
import io.github.slotbloom.internal.store.catalog.Catalog;
import io.github.slotbloom.internal.store.catalog.FilterHead;
import io.github.slotbloom.internal.store.catalog.FilterRecord;
import io.github.slotbloom.internal.store.journal.Cursor;
import io.github.slotbloom.internal.store.journal.Journal;
import io.github.slotbloom.internal.store.journal.JournalAppend;
import io.github.slotbloom.internal.store.journal.JournalEntry;
import io.github.slotbloom.internal.store.slots.MergedBits;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Brings the keys of one filter into another one, while both are used.
 *
 * <p>The bits go through the journal of the filter that takes them, as keys do: so whoever has it
 * open hears of them, in order with everything else, and what a failover loses shows in its chain.
 * They come in many transactions, each of which finds the entry of the one before. An interrupted
 * merge leaves bits without meaning, and keys that count as added; the same call brings the rest.
 * Not thread-safe.
 */
public final class Merging implements SnapshotSink {

  /** Some hundredths of a second under the lock that everyone who adds waits for. */
  private static final int ENTRIES_PER_TRANSACTION = 8;

  private static final int HASHES_PER_TRANSACTION =
      ENTRIES_PER_TRANSACTION * JournalEntry.MAX_HASHES;

  /** 16 MiB; those who ask the tables read what is not folded. */
  private static final int ENTRIES_BETWEEN_FOLDS = 256;

  private static final long LONGEST_REST_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

  private final FilterDirectory directory;
  private final FilterEngines engines;
  private final FilterScan from;
  private final FilterRecord into;
  private final GenerationPairs pairs;
  private final long newKeys;
  private final SlotRuns runs = new SlotRuns(MergedBits.MAX_BYTES);
  private final List<MergedBits> due = new ArrayList<>();
  private int place;
  private @Nullable Cursor last;
  private @Nullable Cursor sent;
  private int entriesSinceFold;

  private Merging(
      FilterDirectory directory,
      FilterEngines engines,
      FilterScan from,
      FilterRecord into,
      GenerationPairs pairs,
      long newKeys) {
    this.directory = directory;
    this.engines = engines;
    this.from = from;
    this.into = into;
    this.pairs = pairs;
    this.newKeys = newKeys;
  }

  /**
   * @throws FilterMismatchException if they are not made alike
   * @throws FilterFullException if there is no room for the keys in a filter that refuses then
   */
  public static void merge(
      FilterDirectory directory, FilterEngines engines, FilterName from, FilterName into) {
    if (from.equals(into)) {
      throw new InvalidParameterException(
          "Filter " + from + " cannot be merged into itself. Name another filter.");
    }
    FilterScan source = FilterScan.begin(directory, engines, from);
    FilterScan target = FilterScan.begin(directory, engines, into);
    FilterRecord taker = target.filter();
    GenerationPairs pairs = GenerationPairs.of(source.filter(), taker, "merged");
    if (taker.retainHashes() && !source.filter().retainHashes()) {
      throw new FilterMismatchException(
          ("Filter %s retains the hashes of its keys, and filter %s does not, so they could"
                  + " not be kept. Merge into a filter that does not retain them, or from one that"
                  + " does.")
              .formatted(into, from));
    }
    Similarity similarity = new Comparing(source, target).similarity(pairs);
    long newKeys =
        newKeys(source.filter().head().keysAdded(), taker.head().keysAdded(), similarity.union());
    new Merging(directory, engines, source, taker, pairs, newKeys).run();
  }

  /**
   * How many keys the merge adds: the difference to those that both have together by their bits,
   * within what is certain of that number. What is counted already, by whatever attempt before, is
   * not counted again.
   */
  static long newKeys(long keysOfSource, long keysOfTaker, double union) {
    long atLeast = Math.max(keysOfSource, keysOfTaker);
    long atMost = keysOfSource + keysOfTaker;
    return Math.min(atMost, Math.max(atLeast, Math.round(union))) - keysOfTaker;
  }

  private void run() {
    try {
      if (into.retainHashes()) {
        from.readHashes(this);
      }
      from.readSlots(this);
    } catch (IOException e) {
      throw new UncheckedIOException("Nothing was read from a file or written to one.", e);
    }
    takeRuns();
    append();
    from.requireUnchanged();
    if (last != null) {
      new Folder(engines.context(into)).foldAll(FilterDirectory.STEP_TIMEOUT);
    }
  }

  @Override
  public void hashes(long[] hashes) {
    for (int from = 0; from < hashes.length; from += HASHES_PER_TRANSACTION) {
      int to = Math.min(hashes.length, from + HASHES_PER_TRANSACTION);
      long[] part = Arrays.copyOfRange(hashes, from, to);
      append(head -> Journal.chain(head.end(), JournalEntry.Kind.SEEN, part, Tokens::next));
    }
  }

  @Override
  public void slot(int ofPlace, long slot, long bits) {
    if (bits != 0 && (ofPlace != place || !runs.offer(slot, bits))) {
      takeRuns();
      place = ofPlace;
      runs.offer(slot, bits);
    }
  }

  private void takeRuns() {
    if (!runs.isEmpty()) {
      due.add(MergedBits.of(into.generations().get(pairs.places().get(place)), runs.take()));
    }
    if (due.size() == ENTRIES_PER_TRANSACTION) {
      append();
    }
  }

  private void append() {
    if (!due.isEmpty()) {
      append(head -> Journal.chain(head.end(), due, Tokens::next));
      due.clear();
    }
  }

  /** One transaction, which may be repeated. */
  private void append(Function<FilterHead, List<JournalEntry>> entries) {
    long begun = System.nanoTime();
    sent = null;
    directory.askPatiently(tx -> append(tx, entries)).ifPresent(this::refuse);
    last = Objects.requireNonNull(sent);
    entriesSinceFold += ENTRIES_PER_TRANSACTION;
    if (entriesSinceFold >= ENTRIES_BETWEEN_FOLDS) {
      new Folder(engines.context(into)).foldAll(FilterDirectory.STEP_TIMEOUT);
      entriesSinceFold = 0;
    } else {
      LockSupport.parkNanos(this, Math.min(LONGEST_REST_NANOS, System.nanoTime() - begun));
    }
  }

  /** Returns why it cannot be done; trying again would not help. */
  private Optional<String> append(Tx tx, Function<FilterHead, List<JournalEntry>> entries) {
    FilterHead head = directory.lockActive(tx, into, "take in another one");
    if (sent != null && Journal.holds(tx, into.id(), sent)) {
      // It was committed, and the answer was lost.
      return Optional.empty();
    }
    FilterRecord now = Catalog.find(tx, into.id()).orElseThrow();
    if (now.set().target() != null) {
      return Optional.of("is being replaced. Finish or abort the replacement, then merge again.");
    }
    if (!isAsBefore(tx, now)) {
      return Optional.of(
          "was cleared or replaced, or its database went back to an earlier state. Merge again.");
    }
    if (last == null) {
      requireRoom(head);
      Catalog.beginMerge(tx, into.id(), newKeys);
    }
    List<JournalEntry> chained = entries.apply(head);
    JournalAppend.append(tx, into.id(), chained);
    sent = chained.get(chained.size() - 1).cursor();
    return Optional.empty();
  }

  private void requireRoom(FilterHead head) {
    boolean fits = newKeys == 0 || head.keysAdded() + newKeys <= head.capacity();
    if (head.whenFull() == WhenFull.REFUSE && !fits) {
      throw new FilterFullException(into.name().value(), head.keysAdded(), head.capacity());
    }
  }

  /** Returns true if the bits that were already brought, and their target, are still there. */
  private boolean isAsBefore(Tx tx, FilterRecord now) {
    return now.head().epoch() == into.head().epoch()
        && pairs.places().stream()
            .map(into.generations()::get)
            .allMatch(before -> now.generations().stream().anyMatch(before::isSameAs))
        && (last == null || Journal.holds(tx, into.id(), last));
  }

  private void refuse(String why) {
    throw new FilterUnavailableException(
        "Filter %1$s could not be merged into filter %2$s: filter %2$s %3$s"
            .formatted(from.filter().name(), into.name(), why),
        null);
  }
}
