package io.github.slotbloom.internal.store.journal;

import io.github.slotbloom.core.FilterName;
import io.github.slotbloom.internal.store.catalog.FilterHead;
import java.util.List;

/**
 * What one statement read of a filter and the end of its journal.
 *
 * @param head the changing part of the catalog row
 * @param foldedSeq entries up to this one are in the slots
 * @param after number of the entry after which the rows were read
 * @param entries rows from {@code after} + 1 on, in order; not all of them if there are more than a
 *     page holds
 */
public record Tail(FilterHead head, long foldedSeq, long after, List<JournalEntry> entries) {

  /**
   * The chain of these entries, to be followed further.
   *
   * @throws io.github.slotbloom.error.CorruptFilterException if they are none
   */
  public JournalChain chain(FilterName filter) {
    JournalChain chain = JournalChain.after(filter, after);
    entries.forEach(chain::follow);
    return chain;
  }
}
