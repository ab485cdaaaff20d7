package io.github.slotbloom.internal.admin;

import io.github.slotbloom.FilterStatus;
import io.github.slotbloom.internal.store.filter.FilterRecord;
import io.github.slotbloom.internal.store.filter.GenerationRecord;
import java.util.List;
import java.util.Optional;

/** Tells of a filter what its rows in the catalog say. */
public final class StatusReader {

  private StatusReader() {}

  /** Reads the counts of the buckets of a window; of other filters everything is known. */
  public static FilterStatus read(FilterDirectory directory, FilterRecord filter) {
    WindowCounts counts =
        filter.window() == null
            ? WindowCounts.everlasting(filter, filter.head())
            : directory.ask(tx -> WindowCounts.read(tx, filter, filter.head(), directory.time()));
    List<GenerationRecord> answering =
        filter.generations().stream().filter(generation -> !counts.hasExpired(generation)).toList();
    // The table of the newest bucket stays until the next one begins.
    List<GenerationRecord> generations =
        answering.isEmpty() ? List.of(filter.newestGeneration()) : answering;
    return new ReadStatus(
        filter.id(),
        filter.name().value(),
        filter.keyType(),
        filter.growable() && filter.window() == null,
        filter.removable(),
        Optional.ofNullable(filter.window()),
        filter.head().whenFull(),
        counts.capacity(),
        filter.falsePositiveRate(),
        generations.stream().mapToLong(generation -> generation.parameters().bits()).sum(),
        generations.size(),
        counts.keysAdded(),
        counts.keysRemoved(),
        filter.retainHashes() || filter.window() != null
            ? counts.keysAdded()
            : Math.max(0, counts.keysAdded() - counts.keysRemoved()),
        counts.used(),
        filter.head().isOver(),
        filter.createdAt(),
        Optional.ofNullable(filter.head().expiresAt()));
  }
}
