package io.github.slotbloom.internal.snapshot;

import io.github.slotbloom.core.BloomParameters;
import io.github.slotbloom.core.Layout;
import io.github.slotbloom.core.OnFull;
import io.github.slotbloom.core.Seed;
import io.github.slotbloom.core.Window;
import io.github.slotbloom.internal.store.Tokens;
import io.github.slotbloom.internal.store.filter.Cursor;
import io.github.slotbloom.internal.store.filter.FilterRecord;
import io.github.slotbloom.internal.store.filter.GenerationRecord;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Describes an exported filter at the moment of the export, by values as in {@link FilterRecord}
 * unless said otherwise.
 *
 * @param name its name on the server of the export
 * @param removablePercent share of removed keys from which on a filter with retained hashes is
 *     rebuilt; zero if keys cannot be removed
 * @param renewed true if it had other generations before
 * @param capacity the number of keys that all generations together are sized for
 * @param keysAdded the number of keys answered "new" up to the moment of the export
 * @param keysRemoved the number of removed keys at that moment; zero if keys cannot be removed
 * @param keysRenewed the number of renewed keys at that moment; zero if keys never expire
 * @param last the newest journal entry at that moment
 * @param base the entry after which the exported part of the journal begins; null if the whole
 *     filter is exported
 * @param exportedAt the moment of the export, by the clock of the machine that exported it
 * @param generations the active generations, oldest first; at least one
 */
public record SnapshotHeader(
    String name,
    String keyType,
    String hash,
    Seed seed,
    Layout layout,
    boolean growable,
    boolean retainHashes,
    int removablePercent,
    @Nullable Window window,
    boolean renewed,
    OnFull onFull,
    long capacity,
    double falsePositiveRate,
    Duration lease,
    Duration retention,
    long keysAdded,
    long keysRemoved,
    long keysRenewed,
    Cursor last,
    @Nullable Cursor base,
    Instant createdAt,
    Instant exportedAt,
    List<GenerationRecord> generations) {

  public SnapshotHeader {
    generations = List.copyOf(generations);
  }

  /** Returns the end of a journal without entries. It tells one filter from others. */
  public static Cursor emptyJournal() {
    return new Cursor(0, Tokens.next());
  }

  /** Returns the generations of a filter that has one. */
  public static List<GenerationRecord> sole(
      long capacity, double falsePositiveRate, BloomParameters parameters) {
    return List.of(GenerationRecord.first(1, capacity, falsePositiveRate, parameters));
  }

  /** Returns layout, m and k of each generation. */
  public List<BloomParameters> shapes() {
    return generations.stream().map(GenerationRecord::parameters).toList();
  }

  /**
   * Returns the number of keys that count as added in a filter with so many removed keys. Of a
   * filter that retains hashes, removed keys are not counted.
   *
   * @param removed may differ from the count, since keys are removed while it is exported
   */
  public long keysAdded(long removed) {
    return retainHashes ? Math.max(0, keysAdded + keysRemoved - removed) : keysAdded;
  }
}
