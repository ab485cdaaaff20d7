package io.github.slotbloom.internal.verify;

import io.github.slotbloom.internal.store.journal.JournalEntry;
import io.github.slotbloom.internal.store.journal.Rescued;
import org.jspecify.annotations.Nullable;

/** What the journal says of rescued keys, as far as it goes back. Not thread-safe. */
final class RescueHistory {

  private static final long ENDED = -1;

  private final HashMarks newest = new HashMarks();

  void take(JournalEntry entry) {
    Rescued rescued = entry.rescued();
    if (rescued != null) {
      long until = rescued.untilMicros() == Rescued.ENDED ? ENDED : rescued.untilMicros();
      for (long hash : rescued.hashes()) {
        newest.put(hash, until);
      }
    }
  }

  /** Returns until when a hash is rescued; null if no entry tells. */
  @Nullable Long untilMicros(long hash) {
    long mark = newest.get(hash);
    return mark == 0 ? null : Long.valueOf(mark == ENDED ? Rescued.ENDED : mark);
  }

  long[] hashes() {
    return newest.hashes();
  }

  boolean isIncomplete() {
    return newest.isOverflowed();
  }
}
