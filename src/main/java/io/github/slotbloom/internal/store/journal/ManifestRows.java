package io.github.slotbloom.internal.store.journal;

import io.github.slotbloom.internal.store.Tables.Filters;
import io.github.slotbloom.internal.store.catalog.HeadLock;
import io.github.slotbloom.internal.store.catalog.TableRows;
import io.github.slotbloom.internal.store.filter.Bucket;
import io.github.slotbloom.internal.store.filter.FilterRecord;
import io.github.slotbloom.internal.store.filter.GenerationRecord;
import io.github.slotbloom.internal.store.filter.KeyCounts;
import io.github.slotbloom.internal.store.filter.Manifest;
import io.github.slotbloom.internal.store.filter.ManifestText;
import io.github.slotbloom.internal.store.session.Tx;
import java.util.List;

/** Gives filters other generations. */
public final class ManifestRows {

  private ManifestRows() {}

  /**
   * Appends a manifest to the journal, and writes it to the row of the filter. Needs the lock of
   * {@link HeadLock#take}.
   *
   * @param filter the filter as it is under the lock
   * @param next comes with the entry that follows the head
   * @param capacity keys that the active generations are sized for together
   * @param change of the counts of the filter
   */
  public static void append(
      Tx tx, FilterRecord filter, Manifest next, long capacity, KeyCounts change) {
    JournalEntry entry = JournalEntry.of(next, filter.head().end());
    JournalAppend.append(tx, filter.id(), List.of(entry), change);
    GenerationRecord begun = next.begun();
    if (begun != null) {
      TableRows.begun(tx, filter.id(), begun);
    }
    Bucket bucket = next.newest().bucket();
    tx.dsl()
        .update(Filters.TABLE)
        .set(Filters.MANIFEST, ManifestText.of(next))
        .set(Filters.MANIFEST_TOKEN, next.token())
        .set(Filters.CAPACITY, capacity)
        .set(Filters.BUCKET, bucket == null ? null : bucket.number())
        .where(Filters.ID.eq(filter.id()))
        .execute();
  }

  /** Appends a manifest that changes no count, as {@link #append} does. */
  public static void append(Tx tx, FilterRecord filter, Manifest next, long capacity) {
    append(tx, filter, next, capacity, KeyCounts.NONE);
  }
}
