package io.github.slotbloom.internal.admin;

import io.github.slotbloom.FilterStatus;
import io.github.slotbloom.internal.mirror.TimeSource;
import io.github.slotbloom.internal.store.Tx;
import io.github.slotbloom.internal.store.catalog.FilterHead;
import io.github.slotbloom.internal.store.catalog.FilterRecord;
import io.github.slotbloom.internal.store.catalog.GenerationRecord;
import java.util.List;
import java.util.Optional;

/** Tells of a filter what its rows in the catalog say. */
final class StatusReader {

  private StatusReader() {}

  /** Returns what is known of a filter whose keys never expire, without a further query. */
  static FilterStatus everlasting(FilterRecord filter) {
    FilterHead head = filter.head();
    return status(
        filter, filter.generations(), filter.capacity(), head.keysAdded(), head.keysRemoved());
  }

  /** Reads the counts of the buckets as well. */
  static FilterStatus window(Tx tx, FilterRecord filter, TimeSource time) {
    WindowCounts counts = WindowCounts.read(tx, filter, filter.head(), time);
    List<GenerationRecord> answering =
        filter.generations().stream().filter(generation -> !counts.hasExpired(generation)).toList();
    return status(
        filter,
        // The table of the newest bucket stays until the next one begins.
        answering.isEmpty() ? List.of(filter.newestGeneration()) : answering,
        counts.capacity(),
        counts.keysAdded(),
        counts.keysRemoved());
  }

  private static FilterStatus status(
      FilterRecord filter,
      List<GenerationRecord> generations,
      long capacity,
      long keysAdded,
      long keysRemoved) {
    return new FilterStatus(
        filter.id(),
        filter.name().value(),
        filter.keyType(),
        filter.removable(),
        Optional.ofNullable(filter.window()),
        filter.head().whenFull(),
        capacity,
        filter.falsePositiveRate(),
        generations.stream().mapToLong(generation -> generation.parameters().bits()).sum(),
        generations.size(),
        keysAdded,
        keysRemoved,
        filter.createdAt(),
        Optional.ofNullable(filter.head().expiresAt()));
  }
}
