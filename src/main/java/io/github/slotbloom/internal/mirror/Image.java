package io.github.slotbloom.internal.mirror;

import io.github.slotbloom.core.FilterName;
import io.github.slotbloom.error.MirrorTooLargeException;
import io.github.slotbloom.internal.store.catalog.GenerationSet;
import io.github.slotbloom.internal.store.journal.Cursor;
import io.github.slotbloom.internal.store.journal.JournalEntry;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The bits of all generations in one epoch, and how far into the journal they reach.
 *
 * <p>Bits are set before the cursor moves, so the bits hold at least what the cursor says. The
 * cursor only rises, and only along the chain of tokens. Thread-safe.
 */
public final class Image {

  private final long epoch;

  private final FilterName filter;
  private final @Nullable RecentHashes recent;
  private volatile GenerationArrays arrays;

  private volatile Cursor cursor;
  // Raised before the bits of an entry that was read are set: whoever saw such a bit sees this as
  // well.
  private volatile long readTo;
  private volatile long confirmedTo;

  /**
   * @param filter its name, for messages
   * @param retaining whether the hashes of all keys have to be in its journal
   * @throws MirrorTooLargeException if memory cannot hold it
   */
  Image(
      FilterName filter, boolean retaining, long epoch, GenerationSet generations, Cursor cursor) {
    this.filter = filter;
    this.recent = retaining ? new RecentHashes() : null;
    this.epoch = epoch;
    this.arrays = GenerationArrays.allocate(filter, generations);
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

  /** The generations as they are now. What they hold may grow afterwards, but never shrinks. */
  public GenerationArrays arrays() {
    return arrays;
  }

  /** Whether all bits of the key are set in a generation that answers. */
  public boolean contains(long hash) {
    return arrays.contains(hash);
  }

  /**
   * As {@link #contains(long)} for the keys from index {@code from} up to but without {@code to}:
   * faster than one by one, since their reads of memory overlap.
   */
  public void contains(long[] hashes, int from, int to, boolean[] answers) {
    arrays.contains(hashes, from, to, answers);
  }

  /**
   * Whether nothing is left to be written for the key: the filter holds it, and so does the
   * generation that is being filled, if there is one, and the journal its hash, if it has to.
   */
  public boolean isRecorded(long hash) {
    GenerationArrays now = arrays;
    return now.contains(hash) && !now.lacks(hash) && !isUnrecorded(hash);
  }

  /** Whether the hash has to be in the journal, and is not known to be. */
  private boolean isUnrecorded(long hash) {
    return recent != null && !recent.contains(hash);
  }

  /** Which of the hashes have to be in the journal and are not known to be; null if none has to. */
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
   * As {@link #isRecorded} for the keys from index {@code from} up to but without {@code to}:
   * faster than one by one.
   */
  public void areRecorded(long[] hashes, int from, int to, boolean[] answers) {
    GenerationArrays now = arrays;
    now.contains(hashes, from, to, answers);
    if (now.set().target() != null || recent != null) {
      for (int i = from; i < to; i++) {
        answers[i] = answers[i] && !now.lacks(hashes[i]) && !isUnrecorded(hashes[i]);
      }
    }
  }

  /** Whether everything that was read from the database so far is known to have been durable. */
  public boolean confirmed() {
    return confirmedTo >= readTo;
  }

  /** Says that a durable commit followed the read of the entries up to {@code seq}. */
  public synchronized void confirm(long seq) {
    confirmedTo = Math.max(confirmedTo, seq);
  }

  /**
   * Sets the bits of entries, follows what becomes of the generations, and moves the cursor.
   * Entries that are in already are passed over.
   *
   * @return false if the entries do not continue what is here: history was lost or rewritten, or
   *     there is a gap
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

  /** Bits of its keys go to the generations of before; what it begins has none yet. */
  private void take(JournalEntry entry) {
    GenerationArrays now = arrays;
    now.take(entry);
    if (recent != null) {
      recent.add(entry.hashes());
    }
    arrays = now.after(filter, entry);
  }
}
