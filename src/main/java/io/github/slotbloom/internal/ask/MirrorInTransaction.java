package io.github.slotbloom.internal.ask;

import io.github.slotbloom.internal.add.KeysInTransaction;
import io.github.slotbloom.internal.engine.Deadline;
import io.github.slotbloom.internal.engine.FilterContext;
import io.github.slotbloom.internal.mirror.GenerationArrays;
import io.github.slotbloom.internal.mirror.Image;
import io.github.slotbloom.internal.mirror.Mirror;
import io.github.slotbloom.internal.store.Tx;
import io.github.slotbloom.internal.store.catalog.FilterHead;
import io.github.slotbloom.internal.store.catalog.GenerationSet;
import io.github.slotbloom.internal.store.journal.JournalEntry;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Decides over the mirror, as it is, and over what the journal holds beyond it: on the caller's
 * connection alone, so a pool whose only connection the caller has will do.
 */
final class MirrorInTransaction implements KeysInTransaction {

  private final Mirror mirror;
  private final MirrorCatchUp catchUp;
  private final HeldTail tail;
  private @Nullable Image image;

  /**
   * @param catchUp shared by all transactions
   */
  MirrorInTransaction(FilterContext context, Mirror mirror, MirrorCatchUp catchUp) {
    this.mirror = mirror;
    this.catchUp = catchUp;
    this.tail = new HeldTail(context);
  }

  @Override
  public void beforeLock(Deadline deadline) {
    // Once it has decided, this transaction has what it needs.
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
    if (now != image || !tail.follow(tx, head, deadline)) {
      image = now;
      tail.restart(now.cursor());
      if (!tail.follow(tx, head, deadline)) {
        throw stale();
      }
    }
    return membership(now.arrays(), hashes, now.unrecorded(hashes));
  }

  /**
   * Over the bits in memory and those that the tail adds to them, in the generations it leads to.
   */
  private Membership membership(
      GenerationArrays arrays, long[] hashes, boolean @Nullable [] unrecorded) {
    List<JournalEntry> entries = tail.entries();
    if (entries.isEmpty()) {
      boolean[] present = new boolean[hashes.length];
      arrays.contains(hashes, 0, hashes.length, present);
      return new Membership(present, arrays.lacking(hashes), unrecorded);
    }
    GenerationSet set = arrays.set();
    for (JournalEntry entry : entries) {
      set = set.after(entry);
    }
    FilterBits added = FilterBits.ofAll(set, hashes);
    entries.forEach(added::addJournaled);
    return added.membershipWith(arrays, unrecorded);
  }

  /** So that the transaction that is repeated finds the mirror as it should be. */
  private KnownKeys.StaleException stale() {
    image = null;
    CompletableFuture<Void> unused = mirror.refresh();
    return new KnownKeys.StaleException();
  }

  @Override
  public void appended(List<JournalEntry> entries) {
    entries.forEach(tail::append);
  }
}
