package io.github.slotbloom.internal.membership;

import io.github.slotbloom.internal.context.FollowedFilter;
import io.github.slotbloom.internal.mirror.FilterNotReady;
import io.github.slotbloom.internal.store.catalog.Catalog;
import io.github.slotbloom.internal.store.filter.FilterHead;
import io.github.slotbloom.internal.store.filter.FilterRecord;
import io.github.slotbloom.internal.store.journal.FoldRows;
import io.github.slotbloom.internal.store.journal.FoldState;
import io.github.slotbloom.internal.store.journal.JournalChain;
import io.github.slotbloom.internal.store.journal.JournalEntry;
import io.github.slotbloom.internal.store.session.Tx;
import io.github.slotbloom.internal.time.Deadline;
import java.time.Duration;
import java.util.List;

/**
 * Decides from the tables alone.
 *
 * <p>It takes a shared lock on the fold row before it reads entries and slots. So it waits for a
 * running fold before it holds anything that the fold needs, and later folds find the row taken and
 * leave. Because folding is held back, the unfolded entries and the slots do not change while they
 * are read.
 */
final class SlotsInCallerTransaction implements KeysInCallerTransaction {

  private final FollowedFilter followed;
  private final HeldTail tail;
  private long foldedSeq = -1;

  SlotsInCallerTransaction(FollowedFilter followed) {
    this.followed = followed;
    this.tail = new HeldTail(followed);
  }

  @Override
  public void beforeLock(Deadline deadline) {}

  @Override
  public Membership underLock(Tx tx, FilterHead head, long[] hashes, Deadline deadline) {
    FoldState fold =
        FoldRows.share(tx, followed.id(), Duration.ofNanos(deadline.remainingNanos()))
            .orElseThrow(() -> FilterNotReady.gone(followed.now()));
    if (fold.foldedSeq() != foldedSeq || !tail.follow(tx, head, deadline)) {
      restart(head, fold);
      if (!tail.follow(tx, head, deadline)) {
        throw deadline.passed()
            ? new KnownKeys.StaleException()
            : JournalChain.broken(
                followed.name(),
                "the journal after the folded entry "
                    + foldedSeq
                    + " does not lead to entry "
                    + head.lastSeq());
      }
    }
    FilterRecord filter = Catalog.at(tx, followed.now(), head);
    FilterBits bits = FilterBits.ofAll(filter, hashes);
    tail.entries().forEach(bits::addJournaled);
    bits.addLockedSlots(tx);
    return bits.membership(Membership.nothingRecorded(filter, hashes));
  }

  private void restart(FilterHead head, FoldState fold) {
    foldedSeq = fold.foldedSeq();
    if (foldedSeq == head.lastSeq()) {
      tail.restart(head.end());
    } else {
      tail.restart(foldedSeq);
    }
  }

  @Override
  public void appended(List<JournalEntry> entries) {
    entries.forEach(tail::append);
  }
}
