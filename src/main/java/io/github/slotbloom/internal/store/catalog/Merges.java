package io.github.slotbloom.internal.store.catalog;

import static org.jooq.impl.DSL.greatest;
import static org.jooq.impl.DSL.val;

import io.github.slotbloom.internal.store.Tables.Filters;
import io.github.slotbloom.internal.store.Tx;
import io.github.slotbloom.internal.store.journal.Cursor;
import io.github.slotbloom.internal.store.journal.JournalEntry;
import io.github.slotbloom.internal.store.slots.MergedBits;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;

/** Changes a filter that another one is merged into. */
public final class Merges {

  private Merges() {}

  /**
   * Counts the keys that are about to be merged, and shuts out library versions that would miss
   * their bits. Needs the lock of {@link Catalog#lockHead}.
   */
  public static void begin(Tx tx, long filterId, long newKeys) {
    tx.dsl()
        .update(Filters.TABLE)
        .set(Filters.KEYS_ADDED, Filters.KEYS_ADDED.plus(newKeys))
        .set(Filters.FORMAT_VERSION, greatest(Filters.FORMAT_VERSION, val(StoredFormat.MERGED)))
        .where(Filters.ID.eq(filterId))
        .execute();
  }

  /**
   * Creates entries with the bits, one entry each, chained to the end of the journal. Writes
   * nothing.
   */
  public static List<JournalEntry> chain(Cursor end, List<MergedBits> bits, LongSupplier tokens) {
    List<JournalEntry> entries = new ArrayList<>(bits.size());
    Cursor last = end;
    for (MergedBits merged : bits) {
      JournalEntry entry = JournalEntry.merging(merged, last, tokens.getAsLong());
      entries.add(entry);
      last = entry.cursor();
    }
    return entries;
  }
}
