package io.github.slotbloom.internal.admin;

import io.github.slotbloom.FilterStatus;
import io.github.slotbloom.internal.store.filter.FilterRecord;
import io.github.slotbloom.internal.store.filter.GenerationRecord;
import io.github.slotbloom.internal.store.filter.KeyCounts;
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
    KeyCounts counted = counts.counted();
    List<GenerationRecord> answering =
        filter.generations().stream().filter(generation -> !counts.hasExpired(generation)).toList();
    return new ReadStatus(
        filter.id(),
        filter.name().value(),
        filter.keyType(),
        filter.growable(),
        filter.removable(),
        Optional.ofNullable(filter.window()),
        filter.head().onFull(),
        counts.capacity(),
        filter.falsePositiveRate(),
        answering.size(),
        answering.stream().mapToLong(generation -> generation.parameters().bits()).sum(),
        counted.keys(),
        counted.removed(),
        filter.retainHashes() || filter.window() != null
            ? counted.keys()
            : Math.max(0, counted.keys() - counted.removed()),
        counts.used(),
        filter.head().isOver(),
        filter.createdAt(),
        Optional.ofNullable(filter.head().expiresAt()));
  }
}
