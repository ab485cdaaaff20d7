package io.github.slotbloom.internal.admin;

import io.github.slotbloom.FilterInfo;
import io.github.slotbloom.FilterInfo.Generation;
import io.github.slotbloom.FilterInfo.Generation.State;
import io.github.slotbloom.core.Fill;
import io.github.slotbloom.internal.store.Tx;
import io.github.slotbloom.internal.store.catalog.FilterHead;
import io.github.slotbloom.internal.store.catalog.FilterRecord;
import io.github.slotbloom.internal.store.catalog.GenerationRecord;
import io.github.slotbloom.internal.store.catalog.TableSizes;
import io.github.slotbloom.internal.store.catalog.UsageRows;
import io.github.slotbloom.internal.store.journal.Journal;
import io.github.slotbloom.internal.store.journal.Tail;
import io.github.slotbloom.internal.store.journal.TailReader;
import io.github.slotbloom.internal.store.slots.SlotCounts;
import io.github.slotbloom.internal.store.slots.SlotRows;
import io.github.slotbloom.report.FilterUsage;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/** Reads the parameters and figures of one filter, in one transaction. Used once. */
final class InfoReader {

  private final Tx tx;
  private final FilterRecord filter;
  private double estimatedKeys;
  private boolean saturated;
  private final List<Double> rates = new ArrayList<>();

  InfoReader(Tx tx, FilterRecord filter) {
    this.tx = tx;
    this.filter = filter;
  }

  /** Returns empty if the filter is gone. */
  Optional<FilterInfo> read() {
    List<GenerationRecord> all = filter.set().all();
    Map<String, Long> tableBytes =
        TableSizes.read(
            tx,
            Stream.concat(
                    all.stream().map(GenerationRecord::slotTable), Stream.of(TableSizes.JOURNAL))
                .toList());
    List<Generation> generations = new ArrayList<>();
    for (GenerationRecord generation : all) {
      generations.add(count(generation, tableBytes.getOrDefault(generation.slotTable(), 0L)));
    }
    long journalRows = Journal.rows(tx, filter.id());
    long journalBytes = tableBytes.getOrDefault(TableSizes.JOURNAL, 0L);
    return TailReader.unfolded(tx, filter)
        .map(tail -> info(tail, List.copyOf(generations), journalRows, journalBytes));
  }

  private Generation count(GenerationRecord generation, long tableBytes) {
    SlotCounts counts = new SlotRows(generation).counts(tx);
    Fill fill = counts.fill();
    boolean answers = filter.generations().contains(generation);
    if (answers) {
      estimatedKeys += fill.estimatedKeys();
      saturated |= fill.saturated();
      rates.add(fill.falsePositiveRate());
    }
    return new Generation(
        generation.number(),
        answers ? State.ACTIVE : State.FILLING,
        generation.capacity(),
        generation.falsePositiveRate(),
        generation.parameters().bits(),
        generation.parameters().hashes(),
        generation.slotTable(),
        counts.rows(),
        tableBytes,
        fill.bitsSet(),
        fill.falsePositiveRate());
  }

  private FilterInfo info(
      Tail tail, List<Generation> generations, long journalRows, long journalBytes) {
    FilterHead head = tail.head();
    Duration lag = Journal.age(tx, filter.id(), tail.after() + 1).orElse(Duration.ZERO);
    FilterUsage usage = UsageRows.sumOfDays(tx, filter.id(), head.epoch(), FilterInfo.USAGE_DAYS);
    return new FilterInfo(
        filter.id(),
        filter.name().value(),
        filter.keyType(),
        filter.hash(),
        filter.seed(),
        filter.layout(),
        filter.growable(),
        filter.retainHashes(),
        filter.capacity(),
        filter.falsePositiveRate(),
        head.whenFull(),
        head.epoch(),
        head.keysAdded(),
        estimatedKeys,
        saturated,
        Fill.anyFalsePositiveRate(rates),
        head.lastSeq(),
        tail.after(),
        journalRows,
        journalBytes,
        lag,
        usage,
        filter.createdAt(),
        generations);
  }
}
