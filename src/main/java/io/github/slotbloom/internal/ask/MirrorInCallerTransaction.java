package io.github.slotbloom.internal.ask;

import io.github.slotbloom.internal.context.FilterContext;
import io.github.slotbloom.internal.mirror.GenerationArrays;
import io.github.slotbloom.internal.mirror.Image;
import io.github.slotbloom.internal.mirror.Mirror;
import io.github.slotbloom.internal.store.filter.FilterHead;
import io.github.slotbloom.internal.store.filter.GenerationSet;
import io.github.slotbloom.internal.store.journal.JournalEntry;
import io.github.slotbloom.internal.store.session.Tx;
import io.github.slotbloom.internal.time.Deadline;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Decides from the mirror as it is, and from the later entries of the journal. Uses the caller's
 * connection alone, so it works even if that is the only connection of the pool.
 */
final class MirrorInCallerTransaction implements KeysInCallerTransaction {

  private final FilterContext context;
  private final Mirror mirror;
  private final MirrorCatchUp catchUp;
  private final AppendedByCallers appended;
  private final HeldTail tail;
  private @Nullable Image image;

  /**
   * Creates the keys of one transaction.
   *
   * @param catchUp shared by all transactions
   * @param appended shared by all transactions
   */
  MirrorInCallerTransaction(
      FilterContext context, Mirror mirror, MirrorCatchUp catchUp, AppendedByCallers appended) {
    this.context = context;
    this.mirror = mirror;
    this.catchUp = catchUp;
    this.appended = appended;
    this.tail = new HeldTail(context);
  }

  @Override
  public void beforeLock(Deadline deadline) {
    // After the first decision, this transaction has all that it needs.
    if (image == null || mirror.image() != image) {
      catchUp.await(deadline);
    }
    if (mirror.image() == null) {
      throw new KnownKeys.StaleException();
    }
  }

  @Override
  public Membership underLock(Tx tx, FilterHead head, long[] hashes, Deadline deadline) {
    Image now = mirror.image();
    if (now == null || now.epoch() != head.epoch()) {
      throw stale();
    }
    if (now != image || !follow(tx, head, deadline)) {
      image = now;
      tail.restart(now.cursor());
      if (!follow(tx, head, deadline)) {
        throw stale();
      }
    }
    return membership(now.arrays(), hashes, now.unrecorded(hashes));
  }

  private boolean follow(Tx tx, FilterHead head, Deadline deadline) {
    appended.between(tail.end(), head.end()).forEach(tail::append);
    return tail.follow(tx, head, deadline);
  }

  /**
   * Returns the answer from the bits in memory together with the bits that the tail adds, in the
   * generations that the tail leads to.
   */
  private Membership membership(
      GenerationArrays arrays, long[] hashes, boolean @Nullable [] unrecorded) {
    List<JournalEntry> entries = tail.entries();
    if (entries.isEmpty()) {
      return Membership.in(arrays, hashes, context.filter().renews(), unrecorded);
    }
    GenerationSet set = arrays.set();
    for (JournalEntry entry : entries) {
      set = set.after(entry);
    }
    FilterBits added = FilterBits.ofAll(set, context.filter(), hashes);
    entries.forEach(added::addJournaled);
    return added.membershipWith(arrays, unrecorded);
  }

  /** Starts a refresh, so that the repeated transaction finds the mirror up to date. */
  private KnownKeys.StaleException stale() {
    image = null;
    CompletableFuture<Void> unused = mirror.refresh();
    return new KnownKeys.StaleException();
  }

  @Override
  public void appended(List<JournalEntry> entries) {
    entries.forEach(tail::append);
    entries.forEach(appended::add);
  }
}
