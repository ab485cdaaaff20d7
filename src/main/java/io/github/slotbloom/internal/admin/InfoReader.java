package io.github.slotbloom.internal.admin;

import io.github.slotbloom.FilterInfo;
import io.github.slotbloom.FilterInfo.Generation;
import io.github.slotbloom.FilterInfo.Generation.State;
import io.github.slotbloom.core.BloomParameters;
import io.github.slotbloom.core.Fill;
import io.github.slotbloom.core.Layout;
import io.github.slotbloom.core.Sizing;
import io.github.slotbloom.error.FilterNotFoundException;
import io.github.slotbloom.error.SchemaException;
import io.github.slotbloom.internal.store.catalog.TableSizes;
import io.github.slotbloom.internal.store.catalog.UsageRows;
import io.github.slotbloom.internal.store.filter.FilterHead;
import io.github.slotbloom.internal.store.filter.FilterRecord;
import io.github.slotbloom.internal.store.filter.GenerationRecord;
import io.github.slotbloom.internal.store.filter.KeyCounts;
import io.github.slotbloom.internal.store.journal.Journal;
import io.github.slotbloom.internal.store.session.Tx;
import io.github.slotbloom.internal.store.slots.SlotCounts;
import io.github.slotbloom.internal.store.slots.SlotRows;
import io.github.slotbloom.internal.time.TimeSource;
import io.github.slotbloom.report.FilterUsage;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Reads the parameters and figures of one filter, in one transaction. Used once.
 *
 * <p>Slots lack the bits of entries that are not folded, so the keys of these entries are added to
 * what the slots tell of. Large batches are folded in parts, and then some of these bits are there
 * already. So no more keys are added than are missing from the keys that were counted when they
 * were added.
 */
public final class InfoReader {

  /** A row of a slot table: its header, the columns of InnoDB, the number and the bits. */
  private static final long LEAST_SLOT_ROW_BYTES = 30;

  private final Tx tx;
  private final FilterRecord filter;
  private final UnfoldedKeys unfolded;
  private final List<GenerationRecord> all;
  private final Map<String, Long> tableBytes;
  private final List<SlotCounts> counts;
  private final WindowCounts window;

  /**
   * Reads a filter.
   *
   * @throws FilterNotFoundException if it is gone or was renamed
   */
  public static FilterInfo read(FilterDirectory directory, FilterRecord found) {
    FilterRecord filter = found;
    while (true) {
      FilterRecord reading = filter;
      try {
        Optional<FilterInfo> info =
            directory.ask(
                tx ->
                    UnfoldedKeys.read(tx, reading)
                        .map(keys -> new InfoReader(tx, reading, keys, directory.time()).read()));
        if (info.isPresent()) {
          return info.get();
        }
        filter = directory.require(reading);
      } catch (SchemaException e) {
        // The table of a generation that was given up or replaced is dropped some time.
        filter = directory.require(reading);
        if (reading.knows(filter.head())) {
          throw e;
        }
      }
    }
  }

  private InfoReader(Tx tx, FilterRecord filter, UnfoldedKeys unfolded, TimeSource time) {
    this.tx = tx;
    this.filter = filter;
    this.unfolded = unfolded;
    all = filter.manifest().all();
    tableBytes =
        TableSizes.read(
            tx,
            Stream.concat(
                    all.stream().map(GenerationRecord::slotTable), Stream.of(TableSizes.JOURNAL))
                .toList());
    counts = all.stream().map(generation -> new SlotRows(generation).counts(tx)).toList();
    window = WindowCounts.read(tx, filter, unfolded.tail().head(), time);
  }

  private State state(int place) {
    if (!filter.generations().contains(all.get(place))) {
      return State.FILLING;
    }
    return window.hasExpired(all.get(place)) ? State.EXPIRED : State.ACTIVE;
  }

  /** Returns the share of the unfolded keys of some generations whose bits are not there yet. */
  private double missingShare(List<Integer> places) {
    double there = places.stream().mapToDouble(place -> fill(place).estimatedKeys()).sum();
    long keys = places.stream().mapToLong(unfolded::of).sum();
    return keys == 0 ? 0 : Math.max(0, Math.min(1, (window.keysSet() - there) / keys));
  }

  private Fill fill(int place) {
    return counts.get(place).fill();
  }

  private Generation generation(int place, double missing) {
    GenerationRecord generation = all.get(place);
    SlotCounts counted = counts.get(place);
    return new Generation(
        generation.number(),
        state(place),
        window.bucket(generation),
        generation.capacity(),
        generation.falsePositiveRate(),
        generation.parameters().bits(),
        generation.parameters().hashes(),
        generation.slotTable(),
        counted.rows(),
        Math.max(
            tableBytes.getOrDefault(generation.slotTable(), 0L),
            counted.rows() * LEAST_SLOT_ROW_BYTES),
        fill(place).bitsSet(),
        unfolded.of(place),
        fraction(fill(place), missing),
        rate(fill(place), missing));
  }

  private static double rate(Fill fill, double missing) {
    if (missing == 0) {
      return fill.falsePositiveRate();
    }
    long keys = Math.round(fill.estimatedKeys() + missing);
    return Math.max(
        fill.falsePositiveRate(), Sizing.expectedFalsePositiveRate(fill.parameters(), keys));
  }

  /**
   * Returns the expected share of set bits with the keys that are missing. A key sets k bits of a
   * block, or of the whole array, and some of them may be the same: of u bits u (1 - (1 - 1/u)^k).
   */
  private static double fraction(Fill fill, double missing) {
    BloomParameters shape = fill.parameters();
    double unit = shape.layout() == Layout.BLOCKED ? BloomParameters.BLOCK_BITS : shape.bits();
    double bitsOfKey = -unit * Math.expm1(shape.hashes() * Math.log1p(-1 / unit));
    double missed = -missing * bitsOfKey / shape.bits();
    return fill.fraction() - Math.expm1(missed) * (1 - fill.fraction());
  }

  private FilterInfo read() {
    List<Integer> active =
        IntStream.range(0, all.size())
            .filter(place -> state(place) == State.ACTIVE)
            .boxed()
            .toList();
    double share = missingShare(active);
    List<Generation> generations = new ArrayList<>();
    List<Double> rates = new ArrayList<>();
    double estimatedKeys = 0;
    for (int place = 0; place < all.size(); place++) {
      boolean answers = active.contains(place);
      double missing = unfolded.of(place) * (answers ? share : missingShare(List.of(place)));
      Generation generation = generation(place, missing);
      generations.add(generation);
      if (answers) {
        estimatedKeys += fill(place).estimatedKeys() + missing;
        rates.add(generation.currentFalsePositiveRate());
      }
    }
    KeyCounts counted = window.counted();
    FilterHead head = unfolded.tail().head();
    long journalRows = Journal.rows(tx, filter.id());
    // The statistics of the server may be from before most of the entries.
    long journalBytes =
        Math.max(
            tableBytes.getOrDefault(TableSizes.JOURNAL, 0L),
            Journal.bytes(tx, filter.id(), journalRows));
    long folded = unfolded.tail().after();
    Duration lag = Journal.age(tx, filter.id(), folded + 1).orElse(Duration.ZERO);
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
        Optional.ofNullable(filter.window()),
        window.capacity(),
        window.fullAt(),
        filter.falsePositiveRate(),
        head.onFull(),
        head.epoch(),
        counted.keys(),
        counted.renewed(),
        counted.removed(),
        filter.removal() == null ? 0 : filter.removal().most(head.capacity()),
        estimatedKeys,
        active.stream().anyMatch(place -> fill(place).saturated()),
        rates.isEmpty() ? 0 : Fill.anyFalsePositiveRate(rates),
        head.lastSeq(),
        folded,
        journalRows,
        journalBytes,
        lag,
        usage,
        head.isOver(),
        filter.createdAt(),
        Optional.ofNullable(head.expiresAt()),
        List.copyOf(generations));
  }
}
