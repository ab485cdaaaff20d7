package io.github.slotbloom.internal.mirror;

import io.github.slotbloom.core.FilterName;
import io.github.slotbloom.error.MirrorTooLargeException;
import io.github.slotbloom.internal.bits.Hashes;
import io.github.slotbloom.internal.store.filter.Cursor;
import io.github.slotbloom.internal.store.filter.Manifest;
import io.github.slotbloom.internal.store.journal.JournalEntry;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The bits of all generations since the filter was cleared last, with the journal position that
 * they include.
 *
 * <p>Bits are set before the cursor moves, so the bits always include every entry up to the cursor.
 * The cursor only rises, and only along the chain of tokens. Thread-safe.
 */
public final class Image {

  private final FilterName filter;
  private final @Nullable RecentHashes recent;

  /** Those whose newest entry added them; null if that does not matter. */
  private final @Nullable RecentHashes added;

  /** True if adding a key again extends its lifetime. */
  private final boolean renews;

  private volatile GenerationArrays arrays;

  /** The newest bucket that the database clock is known to have reached. */
  private volatile long bucket = Long.MIN_VALUE;

  private volatile Cursor cursor;
  // Raised before the bits of an entry from the database are set, so a thread that sees such a bit
  // sees this value as well.
  private volatile long readTo;
  private volatile long confirmedTo;

  /**
   * Creates an image without set bits.
   *
   * @param retaining true if the journal must hold the hashes of all keys
   * @param renews true if adding a key again extends its lifetime
   * @throws MirrorTooLargeException if memory cannot hold the image
   */
  Image(
      FilterName filter,
      boolean retaining,
      boolean removable,
      boolean renews,
      Manifest manifest,
      Cursor cursor) {
    this.filter = filter;
    this.recent = retaining ? new RecentHashes() : null;
    this.added = retaining && removable ? new RecentHashes() : null;
    this.renews = renews;
    this.arrays = GenerationArrays.allocate(filter, removable, manifest);
    this.cursor = cursor;
    this.readTo = cursor.seq();
    this.confirmedTo = -1;
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

  /** Returns true if an active generation has all bits of the key, and it is not removed. */
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
    return now.contains(hash) && isWritten(now, hash);
  }

  private boolean isWritten(GenerationArrays now, long hash) {
    return !now.lacks(hash) && !isUnrecorded(hash) && !(renews && now.isOlder(hash));
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
    return recent == null ? null : Hashes.test(hashes, this::isUnrecorded);
  }

  /**
   * Does the same as {@link #isRecorded} for the keys from index {@code from} (inclusive) to {@code
   * to} (exclusive). Faster than single calls.
   */
  public void areRecorded(long[] hashes, int from, int to, boolean[] answers) {
    GenerationArrays now = arrays;
    now.contains(hashes, from, to, answers);
    if (now.manifest().target() != null || recent != null || renews) {
      for (int i = from; i < to; i++) {
        answers[i] = answers[i] && isWritten(now, hashes[i]);
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
   * Takes in that the database clock is in a bucket, or in a later one. Keys that have expired in
   * it are found no more.
   */
  public void expire(long now) {
    // Nearly every time there is nothing to do, and no reason to wait for what is being applied.
    if (now > bucket) {
      expireTo(now);
    }
  }

  private synchronized void expireTo(long now) {
    if (now > bucket) {
      arrays.expire(now);
      bucket = now;
    }
  }

  /**
   * Applies entries: sets their bits, updates the generations, and moves the cursor. Skips entries
   * that are applied already.
   *
   * @return false if the entries do not continue this image, because history was lost or rewritten,
   *     because there is a gap, or because one of them cleared the filter
   * @throws MirrorTooLargeException if memory cannot hold a generation that an entry begins
   */
  public synchronized boolean apply(List<JournalEntry> entries) {
    Cursor reached = cursor;
    for (JournalEntry entry : entries) {
      if (entry.seq() <= reached.seq()) {
        continue;
      }
      if (entry.seq() != reached.seq() + 1
          || entry.previousToken() != reached.token()
          || isClearedBy(entry)) {
        return false;
      }
      readTo = Math.max(readTo, entry.seq());
      take(entry);
      reached = entry.cursor();
      cursor = reached;
    }
    return true;
  }

  /** Returns true if an entry cleared the filter, so that nothing of this image holds anymore. */
  public boolean isClearedBy(JournalEntry entry) {
    Manifest now = arrays.manifest();
    return now.orLater(entry.manifest()).begins() > now.begins();
  }

  /**
   * Takes in one entry. Its keys go to the generations before the entry. A generation that the
   * entry begins has no bits yet.
   */
  private void take(JournalEntry entry) {
    GenerationArrays now = arrays;
    now.take(entry);
    if (recent != null && entry.seq() > now.manifest().begins()) {
      if (entry.kind() == JournalEntry.Kind.REMOVE) {
        recent.remove(entry.hashes());
      } else {
        recent.add(entry.hashes());
      }
    }
    if (added != null && entry.seq() > now.manifest().begins()) {
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
