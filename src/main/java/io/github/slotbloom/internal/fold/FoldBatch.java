package io.github.slotbloom.internal.fold;

import io.github.slotbloom.error.CorruptFilterException;
import io.github.slotbloom.internal.store.filter.FilterRecord;
import io.github.slotbloom.internal.store.journal.FoldState;
import io.github.slotbloom.internal.store.journal.Journal;
import io.github.slotbloom.internal.store.journal.JournalChain;
import io.github.slotbloom.internal.store.journal.JournalEntry;
import io.github.slotbloom.internal.store.session.Tx;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * A batch of entries that are folded together: read from the journal, merged in memory, then
 * written in parts.
 *
 * <p>The more entries are merged, the fewer rows are written per entry: never more rows than the
 * generation has, however many keys there are. So a batch takes all entries that exist when it
 * begins, as far as memory allows. The same generations take all of its entries, from the first to
 * the last. Not thread-safe.
 */
final class FoldBatch {

  /** About one second of work, because others who need the fold row wait for that long. */
  private static final int KEYS_PER_STEP = 2_000_000;

  private final FilterRecord filter;
  private FoldState from;
  private final long last;
  private final SortedMap<Integer, FoldShare> shares = new TreeMap<>();
  private final JournalChain chain;
  private final FoldedRemovals removals = new FoldedRemovals();
  private boolean gathered;

  /**
   * @param filter the filter as it is now; the batch goes to the end of its journal, or to where
   *     the next generation begins, if memory allows
   */
  FoldBatch(FilterRecord filter, FoldState from) {
    this.filter = filter;
    this.from = from;
    last =
        Math.min(
            filter.head().lastSeq(), filter.manifest().lastWithSameTakers(from.foldedSeq() + 1));
    chain = JournalChain.after(filter.name(), from.foldedSeq());
  }

  /** Returns how far the filter is folded, with the parts that are written. */
  FoldState from() {
    return from;
  }

  /**
   * Returns true if this batch is still the one to be folded. A failover between two of its
   * transactions may have lost journal entries that the batch read, and other entries may have
   * replaced them. Or the failover may have lost parts that were written, and then the fold row is
   * not as the last part left it. The batch is also outdated if the filter has other generations
   * since.
   */
  boolean continues(Tx tx, FilterRecord current, FoldState state) {
    if (!current.knows(filter.head())) {
      return false;
    }
    boolean inPlace = isBegun() ? from.equals(state) : from.foldedSeq() == state.foldedSeq();
    return inPlace && Journal.holdsEndOf(tx, filter.id(), chain);
  }

  /** Returns the last entry that is in the batch. */
  long end() {
    return chain.seq();
  }

  /** Returns true if the next batch of a filter may take more than one part. */
  static boolean hasParts(FilterRecord filter) {
    return filter.removable()
        || filter.manifest().target() != null
        || filter.generations().stream().anyMatch(FoldShare::hasParts);
  }

  boolean isEmpty() {
    return end() == from.foldedSeq();
  }

  boolean isGathered() {
    return gathered;
  }

  /** Returns how far the journal is folded, in entries: of those of the batch, what is written. */
  double reached() {
    double written = shares.values().stream().mapToDouble(FoldShare::written).average().orElse(0);
    return from.foldedSeq() + written * (end() - from.foldedSeq());
  }

  boolean isBegun() {
    return removals.isBegun() || shares.values().stream().anyMatch(FoldShare::isBegun);
  }

  /**
   * Reads on in the journal.
   *
   * @param read the next entries, if they were read already, perhaps with others after the batch
   * @throws CorruptFilterException if the journal lacks entries; the batch is then of no use
   */
  void gather(Tx tx, List<JournalEntry> read) {
    int keys = take(chain.follow(read, last));
    while (!gathered && keys < KEYS_PER_STEP) {
      List<JournalEntry> entries = Journal.next(tx, filter, chain, last);
      if (entries.isEmpty() && end() < last) {
        chain.requireEnd(filter.head());
      }
      keys += take(entries);
    }
  }

  /** Returns how many keys the entries have. */
  private int take(List<JournalEntry> entries) {
    int keys = 0;
    for (JournalEntry entry : entries) {
      entry.forEachTaker(filter.manifest(), place -> share(place).take(entry));
      removals.take(entry);
      keys += entry.weight();
    }
    gathered = end() >= last || shares.values().stream().anyMatch(FoldShare::isFull);
    return keys;
  }

  private FoldShare share(int place) {
    return shares.computeIfAbsent(
        place, absent -> new FoldShare(filter.manifest().all().get(place)));
  }

  FoldedRemovals removals() {
    return removals;
  }

  /**
   * Continues after removals that are committed.
   *
   * @param lastWritten the last hash that is
   * @param left the fold row as they left it
   */
  void done(long lastWritten, FoldState left) {
    removals.done(lastWritten);
    from = left;
  }

  /** Returns the share to be written next; empty if nothing is left, or nothing came. */
  Optional<FoldShare> unwritten() {
    return shares.values().stream().filter(share -> !share.isDone()).findFirst();
  }

  /** Returns true if nothing is left once that part of that share is written. */
  boolean endsWith(FoldShare share, FoldShare.Part part) {
    return part.last()
        && shares.values().stream().noneMatch(other -> other != share && !other.isDone());
  }

  /**
   * Continues after a part of a share that is committed.
   *
   * @param left the fold row as the part left it
   */
  void done(FoldShare share, FoldShare.Part part, FoldState left) {
    share.done(part);
    from = left;
  }
}
