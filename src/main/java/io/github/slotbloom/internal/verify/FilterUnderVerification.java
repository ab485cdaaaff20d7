package io.github.slotbloom.internal.verify;

import io.github.slotbloom.internal.context.RetriedTransactions;
import io.github.slotbloom.internal.mirror.FilterNotReady;
import io.github.slotbloom.internal.store.filter.FilterRecord;
import io.github.slotbloom.internal.store.filter.FilterState;
import io.github.slotbloom.internal.store.filter.GenerationRecord;
import io.github.slotbloom.internal.store.journal.JournalAudit;
import io.github.slotbloom.internal.store.journal.JournalEnds;
import io.github.slotbloom.internal.store.session.Transactions;
import io.github.slotbloom.internal.store.session.Tx;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;

/**
 * A filter when its verification began. The ends of the journal were read before the catalog, so
 * what they say is folded went to the generations that the catalog tells of, or to ones before.
 *
 * @param transactions what it is read with
 * @param filter its catalog rows
 * @param ends of its journal
 * @param foldedSeq entries up to this one have to be in the slots
 */
record FilterUnderVerification(
    RetriedTransactions transactions, FilterRecord filter, JournalEnds ends, long foldedSeq)
    implements Transactions {

  @Override
  public <T> T ask(Function<Tx, T> work) {
    return transactions.ask(work);
  }

  long lastSeq() {
    return filter.head().lastSeq();
  }

  List<GenerationRecord> generations() {
    return filter.manifest().all();
  }

  JournalEnds endsNow(Tx tx) {
    return ends(tx, filter);
  }

  static JournalEnds ends(Tx tx, FilterRecord filter) {
    return JournalAudit.ends(tx, filter.id()).orElseThrow(() -> FilterNotReady.gone(filter));
  }

  /**
   * Returns true if the expectations about the tables still hold. They do not hold once the filter
   * was cleared, its generations were replaced or expired, or a failover lost folded entries.
   * Growth does no harm, nor does a bucket that begins.
   */
  boolean holds(FilterRecord now, JournalEnds endsNow) {
    boolean sameHistory =
        now.head().state() == FilterState.ACTIVE
            && now.head().lastSeq() >= lastSeq()
            && Objects.requireNonNullElse(endsNow.foldedSeq(), 0L) >= foldedSeq;
    return sameHistory
        && filter.generations().stream().allMatch(g -> isIn(g, now.generations()))
        && (filter.manifest().target() == null
            || isIn(filter.manifest().target(), now.manifest().all()));
  }

  private static boolean isIn(GenerationRecord generation, List<GenerationRecord> others) {
    return others.stream().anyMatch(generation::isSameAs);
  }
}
