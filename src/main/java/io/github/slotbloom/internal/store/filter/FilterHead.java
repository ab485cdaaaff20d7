package io.github.slotbloom.internal.store.filter;

import io.github.slotbloom.core.OnFull;
import java.time.Instant;
import java.util.Collection;
import org.jspecify.annotations.Nullable;

/**
 * The part of a filter that changes: its row in the catalog, and the end of its journal.
 *
 * @param merged true if another filter was ever merged into it
 * @param epoch 1, plus 1 for each clear
 * @param lastSeq number of the newest journal entry
 * @param lastToken token of that entry
 * @param fence changes to stop an append that was sent earlier and may arrive late
 * @param keysAdded keys answered "new" since the last clear, without those that were removed if
 *     {@code countsDown}
 * @param keysRemoved removed keys whose bits are still set; of a window the keys that were removed
 *     in all buckets that count, also those that returned
 * @param keysRenewed keys of older buckets that were added again, in all buckets that count; a key
 *     counts once for each
 * @param countsDown true if a removed key is no longer counted in {@code keysAdded}
 * @param capacity keys that all generations together are sized for
 * @param bucket the bucket that takes new keys; {@link #NO_BUCKET} if keys never expire
 * @param expiresAt when it expires, by the database clock; null if it never does
 */
public record FilterHead(
    FilterState state,
    boolean merged,
    long epoch,
    long lastSeq,
    long lastToken,
    long fence,
    long keysAdded,
    long keysRemoved,
    long keysRenewed,
    boolean countsDown,
    long capacity,
    long manifestToken,
    OnFull onFull,
    long bucket,
    @Nullable Instant expiresAt) {

  /** The bucket of a filter whose keys never expire. It is never over. */
  public static final long NO_BUCKET = Long.MAX_VALUE;

  public Cursor end() {
    return new Cursor(lastSeq, lastToken);
  }

  /** Returns true if keys expire. */
  public boolean isWindow() {
    return bucket != NO_BUCKET;
  }

  /**
   * Returns true if no client can use the filter anymore, and whoever needs its name may remove it:
   * it expired, or a filter that has a time to expire is being removed.
   */
  public boolean isOver() {
    return state == FilterState.EXPIRED || (state == FilterState.DROPPING && expiresAt != null);
  }

  /** Returns how many new keys may still be added. */
  public long room() {
    return onFull == OnFull.REFUSE ? Math.max(0, capacity - keysSet()) : Long.MAX_VALUE;
  }

  /**
   * Returns how many keys have their bits set, removed ones included. A key counts once for each
   * bucket that has it.
   */
  public long keysSet() {
    return keysAdded + keysRenewed + (countsDown ? keysRemoved : 0);
  }

  /**
   * Returns what was counted in the newest bucket: all that the others do not account for.
   *
   * @param others what was counted in the buckets that are over
   */
  public KeyCounts countsBeside(Collection<KeyCounts> others) {
    KeyCounts over = others.stream().reduce(KeyCounts.NONE, KeyCounts::plus);
    return new KeyCounts(
        Math.max(0, keysAdded - over.keys()),
        Math.max(0, keysRemoved - over.removed()),
        Math.max(0, keysRenewed - over.renewed()));
  }

  /** Returns this head after keys were appended. */
  public FilterHead after(Cursor newEnd, KeyCounts more) {
    return new FilterHead(
        state,
        merged,
        epoch,
        newEnd.seq(),
        newEnd.token(),
        fence,
        keysAdded + more.keys(),
        keysRemoved + more.removed(),
        keysRenewed + more.renewed(),
        countsDown,
        capacity,
        manifestToken,
        onFull,
        bucket,
        expiresAt);
  }
}
