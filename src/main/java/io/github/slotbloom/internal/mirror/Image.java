package io.github.slotbloom.internal.mirror;

import io.github.slotbloom.core.FilterName;
import io.github.slotbloom.error.MirrorTooLargeException;
import io.github.slotbloom.internal.store.filter.GenerationSet;
import io.github.slotbloom.internal.store.journal.Cursor;
import io.github.slotbloom.internal.store.journal.JournalEntry;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The bits of all generations in one epoch, with the journal position that they include.
 *
 * <p>Bits are set before the cursor moves, so the bits always include every entry up to the cursor.
 * The cursor only rises, and only along the chain of tokens. Thread-safe.
 */
public final class Image {

  private final long epoch;

  private final FilterName filter;
  private final @Nullable RecentHashes recent;

  /** Those whose newest entry added them; null if that does not matter. */
  private final @Nullable RecentHashes added;

  /** True if adding a key again lets it live longer. */
  private final boolean renews;

  private volatile GenerationArrays arrays;

  /** The newest bucket that the clock of the database is known to have reached. */
  private long bucket = Long.MIN_VALUE;

  private volatile Cursor cursor;
  // Raised before the bits of an entry from the database are set, so a thread that sees such a bit
  // sees this value as well.
  private volatile long readTo;
  private volatile long confirmedTo;

  /**
   * Creates an image without set bits.
   *
   * @param filter the name of the filter, for messages
   * @param retaining true if the journal must hold the hashes of all keys
   * @param removable true if keys can be removed
   * @param renews true if adding a key again lets it live longer
   * @throws MirrorTooLargeException if memory cannot hold the image
   */
  Image(
      FilterName filter,
      boolean retaining,
      boolean removable,
      boolean renews,
      long epoch,
      GenerationSet generations,
      Cursor cursor) {
    this.filter = filter;
    this.recent = retaining ? new RecentHashes() : null;
    this.added = retaining && removable ? new RecentHashes() : null;
    this.renews = renews;
    this.epoch = epoch;
    this.arrays = GenerationArrays.allocate(filter, removable, generations);
    this.cursor = cursor;
    this.readTo = cursor.seq();
    this.confirmedTo = -1;
  }

  public long epoch() {
    return epoch;
  }

  public Cursor cursor() {
    return cursor;
  }

  /**
   * Returns the current generations. Bits may be added to them later, but are never removed; keys
   * may be.
   */
  public GenerationArrays arrays() {
    return arrays;
  }

  /** Returns true if a generation that answers has all bits of the key, and it is not removed. */
  public boolean contains(long hash) {
    return arrays.contains(hash);
  }

  /**
   * Does the same as {@link #contains(long)} for the keys from index {@code from} (inclusive) to
   * {@code to} (exclusive). Faster than single calls, because the reads of memory overlap.
   */
  public void contains(long[] hashes, int from, int to, boolean[] answers) {
    arrays.contains(hashes, from, to, answers);
  }

  /**
   * Returns true if nothing needs to be written for the key. The filter holds the key, the
   * generation that is being filled holds it too if there is one, and the journal has its hash if
   * it must.
   */
  public boolean isRecorded(long hash) {
    GenerationArrays now = arrays;
    return now.contains(hash)
        && !now.lacks(hash)
        && !isUnrecorded(hash)
        && !(renews && now.isOlder(hash));
  }

  /** Returns true if the newest entry of the hash is known to have added it. */
  public boolean wasAdded(long hash) {
    return added != null && added.contains(hash);
  }

  /** Returns true if the journal must have the hash and is not known to have it. */
  private boolean isUnrecorded(long hash) {
    return recent != null && !recent.contains(hash);
  }

  /**
   * Marks the hashes that the journal must have and is not known to have. Returns null if the
   * journal need not have the hashes of all keys.
   */
  public boolean @Nullable [] unrecorded(long[] hashes) {
    if (recent == null) {
      return null;
    }
    boolean[] unrecorded = new boolean[hashes.length];
    for (int i = 0; i < hashes.length; i++) {
      unrecorded[i] = isUnrecorded(hashes[i]);
    }
    return unrecorded;
  }

  /**
   * Does the same as {@link #isRecorded} for the keys from index {@code from} (inclusive) to {@code
   * to} (exclusive). Faster than single calls.
   */
  public void areRecorded(long[] hashes, int from, int to, boolean[] answers) {
    GenerationArrays now = arrays;
    now.contains(hashes, from, to, answers);
    if (now.set().target() != null || recent != null || renews) {
      for (int i = from; i < to; i++) {
        answers[i] =
            answers[i]
                && !now.lacks(hashes[i])
                && !isUnrecorded(hashes[i])
                && !(renews && now.isOlder(hashes[i]));
      }
    }
  }

  /** Returns true if all entries read from the database so far are known to be durable. */
  public boolean confirmed() {
    return confirmedTo >= readTo;
  }

  /** Records that a durable commit followed the read of the entries up to {@code seq}. */
  public synchronized void confirm(long seq) {
    confirmedTo = Math.max(confirmedTo, seq);
  }

  /**
   * Takes in that the clock of the database is in a bucket, or in a later one. Keys that have
   * expired in it are found no more.
   */
  public synchronized void expire(long now) {
    if (now > bucket) {
      bucket = now;
      arrays.expire(now);
    }
  }

  /**
   * Applies entries: sets their bits, updates the generations, and moves the cursor. Skips entries
   * that are applied already.
   *
   * @return false if the entries do not continue this image, because history was lost or rewritten
   *     or because there is a gap
   * @throws MirrorTooLargeException if memory cannot hold a generation that an entry begins
   */
  public synchronized boolean apply(List<JournalEntry> entries) {
    Cursor reached = cursor;
    for (JournalEntry entry : entries) {
      if (entry.seq() <= reached.seq()) {
        continue;
      }
      if (entry.seq() != reached.seq() + 1 || entry.previousToken() != reached.token()) {
        return false;
      }
      readTo = Math.max(readTo, entry.seq());
      take(entry);
      reached = entry.cursor();
      cursor = reached;
    }
    return true;
  }

  /**
   * Takes in one entry. Its keys go to the generations before the entry. A generation that the
   * entry begins has no bits yet.
   */
  private void take(JournalEntry entry) {
    GenerationArrays now = arrays;
    now.take(entry);
    if (recent != null) {
      if (entry.kind() == JournalEntry.Kind.REMOVE) {
        recent.remove(entry.hashes());
      } else {
        recent.add(entry.hashes());
      }
    }
    if (added != null) {
      if (entry.kind().adds()) {
        added.add(entry.hashes());
      } else if (entry.kind() == JournalEntry.Kind.REMOVE) {
        added.remove(entry.hashes());
      }
    }
    GenerationArrays next = now.after(filter, entry);
    if (next != now) {
      next.expire(bucket);
      arrays = next;
    }
  }
}
