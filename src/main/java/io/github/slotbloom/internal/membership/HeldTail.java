package io.github.slotbloom.internal.membership;

import io.github.slotbloom.internal.context.FollowedFilter;
import io.github.slotbloom.internal.store.filter.Cursor;
import io.github.slotbloom.internal.store.filter.FilterHead;
import io.github.slotbloom.internal.store.journal.Journal;
import io.github.slotbloom.internal.store.journal.JournalEntry;
import io.github.slotbloom.internal.store.session.Tx;
import io.github.slotbloom.internal.time.Deadline;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Holds the end of the journal as seen by a transaction that has the lock on the head, including
 * the transaction's own entries.
 *
 * <p>It is kept from one add to the next. Otherwise a transaction of many small adds would read its
 * own entries again each time. If some entries were rolled back meanwhile, others may have their
 * numbers, but never their tokens. Not thread-safe.
 */
final class HeldTail {

  private final FollowedFilter followed;
  private final List<JournalEntry> entries = new ArrayList<>();
  private long seq;
  private @Nullable Long token;

  HeldTail(FollowedFilter followed) {
    this.followed = followed;
  }

  /** Starts again after an entry. */
  void restart(Cursor after) {
    restart(after.seq());
    token = after.token();
  }

  /** Starts again after an entry whose token is not known. */
  void restart(long after) {
    entries.clear();
    seq = after;
    token = null;
  }

  /**
   * Reads on to the end of the journal.
   *
   * @return false if the journal does not continue the entries held here, or if that takes too long
   */
  boolean follow(Tx tx, FilterHead head, Deadline deadline) {
    while (seq < head.lastSeq()) {
      List<JournalEntry> page = Journal.lockEntries(tx, followed.now(), seq, head.lastSeq());
      if (page.isEmpty() || deadline.passed()) {
        return false;
      }
      for (JournalEntry entry : page) {
        boolean continues =
            entry.seq() == seq + 1 && (token == null || entry.previousToken() == token);
        if (!continues) {
          return false;
        }
        append(entry);
      }
    }
    return seq == head.lastSeq() && token != null && token == head.lastToken();
  }

  /** Takes in an entry that continues the entries held here. */
  void append(JournalEntry entry) {
    entries.add(entry);
    seq = entry.seq();
    token = entry.token();
  }

  /** Returns where the entries held here end. Their token must be known. */
  Cursor end() {
    return new Cursor(seq, Objects.requireNonNull(token));
  }

  List<JournalEntry> entries() {
    return entries;
  }
}
