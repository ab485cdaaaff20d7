package io.github.slotbloom.engine;

import io.github.slotbloom.mirror.FilterNotReady;
import io.github.slotbloom.store.Cursor;
import io.github.slotbloom.store.FilterHead;
import io.github.slotbloom.store.FilterState;
import io.github.slotbloom.store.Journal;
import io.github.slotbloom.store.JournalEntry;
import io.github.slotbloom.store.JournalEntry.Kind;
import io.github.slotbloom.store.Tokens;
import io.github.slotbloom.store.Tx;
import java.util.List;
import java.util.stream.Stream;

/**
 * What every transaction that adds does to the journal while it holds the lock on the filter's
 * head, whoever began it. Thread-safe.
 */
final class Appending {

  private final FilterContext context;

  Appending(FilterContext context) {
    this.context = context;
  }

  /** Refuses to add to a filter in that state. */
  void requireActive(FilterHead head) {
    if (head.state() != FilterState.ACTIVE) {
      throw FilterNotReady.in(context.filter().name(), head.state());
    }
  }

  /**
   * The entries that a decision needs; none if there is nothing to be recorded. Nothing is written.
   */
  static List<JournalEntry> chain(FilterHead head, Decision decision) {
    List<JournalEntry> added =
        Journal.chain(head.end(), Kind.ADD, decision.newHashes(), Tokens::next);
    Cursor end = added.isEmpty() ? head.end() : added.get(added.size() - 1).cursor();
    List<JournalEntry> filled = Journal.chain(end, Kind.FILL, decision.fillHashes(), Tokens::next);
    return Stream.concat(added.stream(), filled.stream()).toList();
  }

  /**
   * Appends entries. Where there are none, makes sure that what was seen under the lock will not be
   * lost once this transaction is acknowledged.
   */
  void append(Tx tx, List<JournalEntry> entries) {
    if (!entries.isEmpty()) {
      context.journal().append(tx, context.catalog(), context.id(), entries);
    } else if (!context.server().visibleIsDurable()) {
      context.catalog().tick(tx, context.id());
    }
  }

  /**
   * Locks the head and moves it to the end of new entries, if it is as expected.
   *
   * @return false if it is not, and nothing was changed
   */
  boolean moveHead(Tx tx, FilterHead expected, List<JournalEntry> entries) {
    JournalEntry last = entries.get(entries.size() - 1);
    return context
        .catalog()
        .advanceFrom(tx, context.filter(), expected, last.cursor(), JournalEntry.newKeys(entries));
  }

  /** Writes the rows of entries that {@link #moveHead} made room for. */
  void insert(Tx tx, List<JournalEntry> entries) {
    context.journal().insert(tx, context.id(), entries);
  }
}
