package io.github.slotbloom.internal.store.journal;

import io.github.slotbloom.core.FilterName;
import io.github.slotbloom.error.CorruptFilterException;
import io.github.slotbloom.internal.store.catalog.FilterHead;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Follows the journal of a filter from one entry to the next, and refuses what does not continue:
 * an entry that is missing or was rewritten. Not thread-safe.
 */
public final class JournalChain {

  private final FilterName filter;
  private long seq;
  private @Nullable Long token;

  private JournalChain(FilterName filter, long after) {
    this.filter = filter;
    this.seq = after;
  }

  /** Begins after an entry whose token is not known. */
  public static JournalChain after(FilterName filter, long after) {
    return new JournalChain(filter, after);
  }

  /** The number of the entry that was reached. */
  public long seq() {
    return seq;
  }

  /** The token of the entry that was reached; empty where it begins after one that is not known. */
  public Optional<Long> token() {
    return Optional.ofNullable(token);
  }

  /**
   * Goes on to the next entry.
   *
   * @throws CorruptFilterException if it is another one
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
   * Refuses a journal that ends here, unless that is the end that the catalog tells of.
   *
   * @throws CorruptFilterException if it is not
   */
  public void requireEnd(FilterHead head) {
    if (seq < head.lastSeq()) {
      throw lacksNext();
    }
    if (seq > head.lastSeq()) {
      throw broken(
          filter,
          "entry " + seq + " was folded, but the row in bloom_filter ends at " + head.lastSeq());
    }
    if (token != null && token != head.lastToken()) {
      throw broken(filter, "its last entry, " + seq + ", has another token than bloom_filter says");
    }
  }

  /** What is said of a journal in which the next entry should be and is not. */
  public CorruptFilterException lacksNext() {
    return broken(filter, "entry " + (seq + 1) + " is missing");
  }

  /** What is said of a journal that cannot be followed. */
  public static CorruptFilterException broken(FilterName filter, String why) {
    return new CorruptFilterException(
        "The journal of filter "
            + filter
            + " is not a chain from its folded entries to its newest: "
            + why
            + ". Restore the bloom_ tables from one backup.");
  }
}
