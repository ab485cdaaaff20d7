package io.github.slotbloom.internal.store.journal;

import io.github.slotbloom.core.FilterName;
import io.github.slotbloom.error.CorruptFilterException;
import io.github.slotbloom.internal.store.filter.FilterHead;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Follows the journal of a filter from entry to entry. Refuses an entry that does not continue the
 * chain, because an entry is missing or was rewritten. Not thread-safe.
 */
public final class JournalChain {

  private final FilterName filter;
  private long seq;
  private @Nullable Long token;

  private JournalChain(FilterName filter, long after) {
    this.filter = filter;
    this.seq = after;
  }

  /** Creates a chain that begins after an entry whose token is not known. */
  public static JournalChain after(FilterName filter, long after) {
    return new JournalChain(filter, after);
  }

  public long seq() {
    return seq;
  }

  /**
   * Returns the token of the last entry, or empty if the chain is at its start, where the token is
   * not known.
   */
  public Optional<Long> token() {
    return Optional.ofNullable(token);
  }

  /**
   * Moves to the next entry.
   *
   * @throws CorruptFilterException if the entry does not continue the chain
   */
  void follow(JournalEntry next) {
    if (next.seq() != seq + 1) {
      throw lacksNext();
    }
    if (token != null && token != next.previousToken()) {
      throw broken(
          filter, "entry " + next.seq() + " does not continue entry " + seq + ", by their tokens");
    }
    seq = next.seq();
    token = next.token();
  }

  /**
   * Moves along the next entries, up to the entry {@code last}.
   *
   * @return those of the entries
   * @throws CorruptFilterException if an entry does not continue the chain
   */
  public List<JournalEntry> follow(List<JournalEntry> next, long last) {
    List<JournalEntry> followed = next.stream().filter(entry -> entry.seq() <= last).toList();
    followed.forEach(this::follow);
    return followed;
  }

  /**
   * Requires that the chain has reached the end of the journal that the catalog records.
   *
   * @throws CorruptFilterException if the journal ends earlier or later
   */
  public void requireEnd(FilterHead head) {
    if (seq < head.lastSeq()) {
      throw lacksNext();
    }
    if (seq > head.lastSeq()) {
      throw broken(
          filter, "entry " + seq + " was folded, but by its row 0 it ends at " + head.lastSeq());
    }
    if (token != null && token != head.lastToken()) {
      throw broken(filter, "its last entry, " + seq + ", has another token than its row 0 says");
    }
  }

  public CorruptFilterException lacksNext() {
    return broken(filter, "entry " + (seq + 1) + " is missing");
  }

  public static CorruptFilterException broken(FilterName filter, String why) {
    return new CorruptFilterException(
        "The journal of filter "
            + filter
            + " is not a chain from its folded entries to its newest: "
            + why
            + ". Restore the bloom_ tables from one backup.");
  }
}
