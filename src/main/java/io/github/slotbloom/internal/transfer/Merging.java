package io.github.slotbloom.internal.transfer;

import io.github.slotbloom.core.FilterName;
import io.github.slotbloom.core.OnFull;
import io.github.slotbloom.core.Similarity;
import io.github.slotbloom.error.FilterFullException;
import io.github.slotbloom.error.FilterMismatchException;
import io.github.slotbloom.error.FilterUnavailableException;
import io.github.slotbloom.error.InvalidParameterException;
import io.github.slotbloom.internal.admin.FilterDirectory;
import io.github.slotbloom.internal.bits.Hashes;
import io.github.slotbloom.internal.bits.SlotRuns;
import io.github.slotbloom.internal.engine.FilterEngines;
import io.github.slotbloom.internal.membership.DirectKeys;
import io.github.slotbloom.internal.membership.Membership;
import io.github.slotbloom.internal.snapshot.SlotSink;
import io.github.slotbloom.internal.store.catalog.Catalog;
import io.github.slotbloom.internal.store.filter.Cursor;
import io.github.slotbloom.internal.store.filter.FilterHead;
import io.github.slotbloom.internal.store.filter.FilterRecord;
import io.github.slotbloom.internal.store.filter.KeyCounts;
import io.github.slotbloom.internal.store.journal.Journal;
import io.github.slotbloom.internal.store.journal.JournalAppend;
import io.github.slotbloom.internal.store.journal.JournalEntry;
import io.github.slotbloom.internal.store.journal.JournalEntry.Kind;
import io.github.slotbloom.internal.store.session.Tx;
import io.github.slotbloom.internal.store.slots.MergedBits;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Brings the keys of one filter into another one, while both are used.
 *
 * <p>The bits go through the journal of the filter that takes them, as keys do: so whoever has it
 * open hears of them, in order with everything else, and what a failover loses shows in its chain.
 * They come in many transactions, each of which finds the entry of the one before. An interrupted
 * merge leaves bits without meaning, and keys that count as added; the same call brings the rest.
 *
 * <p>What becomes of removed keys is settled before the first bits come. Whatever somebody adds or
 * removes from then on stays as it is. Not thread-safe.
 */
public final class Merging implements SlotSink {

  /** Some hundredths of a second under the lock that everyone who adds waits for. */
  private static final int ENTRIES_PER_TRANSACTION = 8;

  private static final int HASHES_PER_TRANSACTION =
      ENTRIES_PER_TRANSACTION * JournalEntry.MAX_HASHES;

  /** They are looked up under the lock. */
  private static final int SETTLED_PER_TRANSACTION = 1024;

  /** 16 MiB; those who ask the tables read what is not folded. */
  private static final int ENTRIES_BETWEEN_FOLDS = 256;

  private static final long LONGEST_REST_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

  /**
   * Entries to be appended.
   *
   * @param back how many keys come back by them, less those that are removed
   */
  private record Part(List<JournalEntry> entries, long back) {}

  /** Makes entries under the lock, from what is there by then. */
  private interface Draft {
    Part of(Tx tx, FilterHead head);
  }

  /** Another merge brought bits first, so how many keys are new is no longer what it was. */
  private static final class Overtaken extends RuntimeException {
    private static final long serialVersionUID = 1L;

    Overtaken() {
      super(null, null, false, false);
    }
  }

  private final FilterDirectory directory;
  private final FilterEngines engines;
  private final FilterScan from;
  private final FilterScan target;
  private final FilterRecord into;
  private final DirectKeys keysOfTarget;
  private final GenerationPairs pairs;
  private final MergedRemovals removals;
  private final long newKeys;
  private final SlotRuns runs = new SlotRuns(MergedBits.MAX_BYTES);
  private final List<MergedBits> due = new ArrayList<>();
  private int place;
  private @Nullable Cursor last;
  private @Nullable Cursor sent;
  private boolean counting;
  private boolean counted;
  private int entriesSinceFold;

  private Merging(
      FilterDirectory directory,
      FilterEngines engines,
      FilterScan from,
      FilterScan target,
      GenerationPairs pairs,
      MergedRemovals removals,
      long newKeys) {
    this.directory = directory;
    this.engines = engines;
    this.from = from;
    this.target = target;
    this.into = target.filter();
    this.keysOfTarget = engines.tables(into);
    this.pairs = pairs;
    this.removals = removals;
    this.newKeys = newKeys;
  }

  /**
   * @throws FilterMismatchException if they are not made alike
   * @throws FilterFullException if there is no room for the keys in a filter that refuses then
   * @throws io.github.slotbloom.error.RemovedKeysFullException if there is none for the removed
   *     keys
   */
  public static void merge(
      FilterDirectory directory, FilterEngines engines, FilterName from, FilterName into) {
    if (from.equals(into)) {
      throw new InvalidParameterException(
          "Filter " + from + " cannot be merged into itself. Name another filter.");
    }
    for (FilterName name : List.of(from, into)) {
      directory.require(name).requireEverlasting("be merged");
    }
    while (true) {
      try {
        begin(directory, engines, from, into).run();
        return;
      } catch (Overtaken e) {
        // What was written so far, hashes and removals, is found and left out.
      }
    }
  }

  private static Merging begin(
      FilterDirectory directory, FilterEngines engines, FilterName from, FilterName into) {
    FilterScan source = FilterScan.begin(directory, engines, from);
    FilterScan target = FilterScan.begin(directory, engines, into);
    FilterRecord taker = target.filter();
    GenerationPairs pairs = GenerationPairs.of(source.filter(), taker, "merged");
    if (taker.retainHashes() && !source.filter().retainHashes()) {
      throw new FilterMismatchException(
          ("Filter %s retains the hashes of its keys, and filter %s does not, so the hashes would"
                  + " be incomplete. Merge into a filter that does not retain hashes, or from one that"
                  + " does.")
              .formatted(into, from));
    }
    MergedRemovals removals = MergedRemovals.read(source, target, engines);
    Similarity similarity = new Comparing(source, target).similarity(pairs);
    long newKeys =
        newKeys(
            source.filter().head().keysSet(),
            taker.head().keysSet(),
            similarity.union(),
            similarity.second());
    return new Merging(directory, engines, source, target, pairs, removals, newKeys);
  }

  /**
   * How many keys get their bits by the merge: the difference of what both have together, by their
   * bits, to what the taker has, within what is certain of that number. What is counted already, by
   * whatever attempt before or by those who add meanwhile, is not counted again.
   *
   * @param ofTaker the keys of the taker by its bits, which were read later than their count
   */
  static long newKeys(long keysOfSource, long keysOfTaker, double union, double ofTaker) {
    long atLeast = Math.max(0, keysOfSource - keysOfTaker);
    long byBits = Math.round(union - Math.max((double) keysOfTaker, ofTaker));
    return Math.min(keysOfSource, Math.max(atLeast, byBits));
  }

  private void run() {
    try {
      // First, so that no key of the union makes one of these seem to be there.
      settle(removals.removing(), Kind.REMOVE);
      settle(removals.returning(), Kind.RETURN);
      if (into.retainHashes()) {
        from.readHashes(removals.ofSource(), this::bringHashes);
      }
      from.readSlots(this);
    } catch (IOException e) {
      throw new UncheckedIOException("Nothing was read from a file or written to one.", e);
    }
    takeRuns();
    append();
    from.requireUnchanged();
    if (last != null) {
      engines.folder(into).foldAll();
    }
  }

  /**
   * Removes keys that come with the bits, or brings keys back that are removed.
   *
   * @param kind REMOVE or RETURN
   */
  private void settle(long[] hashes, Kind kind) {
    for (int begin = 0; begin < hashes.length; begin += SETTLED_PER_TRANSACTION) {
      int end = Math.min(hashes.length, begin + SETTLED_PER_TRANSACTION);
      long[] part = Arrays.copyOfRange(hashes, begin, end);
      append(
          (tx, head) -> {
            Membership held = keysOfTarget.underLock(tx, head, part);
            long[] due = Hashes.where(part, i -> isDue(held, i, kind));
            List<JournalEntry> entries = Journal.chain(head.end(), kind, due);
            return kind == Kind.RETURN
                ? new Part(entries, due.length)
                : new Part(withBits(entries, due), -due.length);
          });
    }
  }

  /** A removed key has its bits from the beginning, even if the merge breaks off. */
  private List<JournalEntry> withBits(List<JournalEntry> entries, long[] hashes) {
    if (entries.isEmpty()) {
      return entries;
    }
    List<MergedBits> bits = MergedBits.ofHashes(into.newestGeneration(), hashes);
    Cursor end = entries.get(entries.size() - 1).cursor();
    return Stream.concat(entries.stream(), Journal.chain(end, bits).stream()).toList();
  }

  /** Keeps the keys that others added or removed since the merge began. */
  private boolean isDue(Membership held, int key, Kind kind) {
    return kind == Kind.RETURN
        ? held.isRemoved(key) && !held.isRemovedAfter(target.foldedSeq(), key)
        : !held.present()[key] && !held.isRemoved(key);
  }

  private void bringHashes(long[] hashes) {
    int most = into.removable() ? JournalEntry.MAX_HASHES : HASHES_PER_TRANSACTION;
    for (int begin = 0; begin < hashes.length; begin += most) {
      long[] part = Arrays.copyOfRange(hashes, begin, Math.min(hashes.length, begin + most));
      append(
          (tx, head) -> {
            // What others removed since the merge began stays removed.
            long[] left = keysOfTarget.notRemovedUnderLock(tx, part);
            return new Part(Journal.chain(head.end(), Kind.SEEN, left), 0);
          });
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
      append((tx, head) -> new Part(Journal.chain(head.end(), due), 0));
      due.clear();
    }
  }

  /** One transaction, which may be repeated. */
  private void append(Draft draft) {
    long begun = directory.time().nanoTime();
    sent = null;
    directory.askPatiently(tx -> append(tx, draft)).ifPresent(this::refuse);
    if (sent == null) {
      return;
    }
    last = sent;
    counted |= counting;
    entriesSinceFold += ENTRIES_PER_TRANSACTION;
    if (entriesSinceFold >= ENTRIES_BETWEEN_FOLDS) {
      engines.folder(into).foldAll();
      entriesSinceFold = 0;
    } else {
      directory
          .time()
          .rest(this, Math.min(LONGEST_REST_NANOS, directory.time().nanoTime() - begun));
    }
  }

  /** Returns why it cannot be done; trying again would not help. */
  private Optional<String> append(Tx tx, Draft draft) {
    FilterHead head = directory.lockActive(tx, into, "have another one merged into it");
    if (sent != null && Journal.holds(tx, into.id(), sent)) {
      // It was committed, and the answer was lost.
      return Optional.empty();
    }
    sent = null;
    FilterRecord now = Catalog.find(tx, into.id()).orElseThrow();
    if (now.manifest().target() != null) {
      return Optional.of("is being replaced. Finish or abort the replacement, then merge again.");
    }
    if (!isAsBefore(tx, now)) {
      return Optional.of(
          "was cleared or replaced, or its database went back to an earlier state. Merge again.");
    }
    if (last == null) {
      requireRoom(head);
      removals.requireRoom(into, head);
    }
    Part part = draft.of(tx, head);
    if (part.entries().isEmpty()) {
      return Optional.empty();
    }
    counting = !counted && part.entries().stream().anyMatch(one -> one.kind() == Kind.MERGE);
    if (counting && Journal.holdsKind(tx, into.id(), into.head().lastSeq(), Kind.MERGE)) {
      throw new Overtaken();
    }
    if (counting || last == null) {
      // From the first hash on, even if the merge breaks off before the first bits.
      Catalog.merging(tx, into.id(), counting ? newKeys : 0);
    }
    KeyCounts counts = counts(head, part, head.keysAdded() + (counting ? newKeys : 0));
    JournalAppend.append(tx, into.id(), part.entries(), counts);
    sent = part.entries().get(part.entries().size() - 1).cursor();
    return Optional.empty();
  }

  /**
   * Returns what entries add to the counts of the filter. The number of keys whose bits are set is
   * counted with the first bits.
   */
  private static KeyCounts counts(FilterHead head, Part part, long keysAdded) {
    return new KeyCounts(
        head.countsDown() ? Math.max(part.back(), -keysAdded) : 0,
        Math.max(-part.back(), -head.keysRemoved()));
  }

  private void requireRoom(FilterHead head) {
    boolean fits = newKeys == 0 || head.keysSet() + newKeys <= head.capacity();
    if (head.onFull() == OnFull.REFUSE && !fits) {
      throw new FilterFullException(
          into.name().value(), into.name().toString(), head.keysSet(), head.capacity());
    }
  }

  /** Returns true if the bits that were already brought, and their target, are still there. */
  private boolean isAsBefore(Tx tx, FilterRecord now) {
    return pairs.places().stream()
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
