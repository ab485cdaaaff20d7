package io.github.slotbloom.internal.membership;

import io.github.slotbloom.internal.context.FollowedFilter;
import io.github.slotbloom.internal.mirror.GenerationArrays;
import io.github.slotbloom.internal.mirror.Image;
import io.github.slotbloom.internal.mirror.Mirror;
import io.github.slotbloom.internal.store.filter.FilterHead;
import io.github.slotbloom.internal.store.filter.FilterRecord;
import io.github.slotbloom.internal.store.filter.Manifest;
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

  private final FollowedFilter followed;
  private final Mirror mirror;
  private final MirrorCatchUp catchUp;
  private final AppendedByCallers appended;
  private final HeldTail tail;
  private @Nullable Image image;

  /**
   * @param catchUp shared by all transactions
   * @param appended shared by all transactions
   */
  MirrorInCallerTransaction(
      FollowedFilter followed, Mirror mirror, MirrorCatchUp catchUp, AppendedByCallers appended) {
    this.followed = followed;
    this.mirror = mirror;
    this.catchUp = catchUp;
    this.appended = appended;
    this.tail = new HeldTail(followed);
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
    if (now == null) {
      throw stale();
    }
    if (now != image || !follow(tx, head, deadline)) {
      image = now;
      tail.restart(now.cursor());
      if (!follow(tx, head, deadline)) {
        throw stale();
      }
    }
    if (tail.entries().stream().anyMatch(now::isClearedBy)) {
      throw stale();
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
      return Membership.in(arrays, hashes, followed.now().renews(), unrecorded);
    }
    Manifest manifest = arrays.manifest();
    for (JournalEntry entry : entries) {
      manifest = manifest.orLater(entry.manifest());
    }
    FilterRecord filter = followed.now();
    FilterBits added = FilterBits.ofAll(filter.with(filter.head(), manifest), hashes);
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
