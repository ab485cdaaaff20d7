package io.github.slotbloom.internal.store.journal;

import io.github.slotbloom.core.FilterName;
import io.github.slotbloom.internal.store.filter.FilterHead;
import java.util.List;

/**
 * The head of a filter and the end of its journal, read in one statement.
 *
 * @param head the changing part of the catalog row
 * @param foldedSeq entries up to this one are in the slots
 * @param after number of the entry before the first row
 * @param entries rows from {@code after} + 1 on, in order; only the first of them if there are more
 *     than a page holds
 */
public record Tail(FilterHead head, long foldedSeq, long after, List<JournalEntry> entries) {

  /**
   * Returns the chain of these entries, which can be followed further.
   *
   * @throws io.github.slotbloom.error.CorruptFilterException if the entries do not form a chain
   */
  public JournalChain chain(FilterName filter) {
    JournalChain chain = JournalChain.after(filter, after);
    entries.forEach(chain::follow);
    return chain;
  }
}
