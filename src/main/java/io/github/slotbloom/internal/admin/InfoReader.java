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
import io.github.slotbloom.internal.store.journal.Journal;
import io.github.slotbloom.internal.store.journal.Tail;
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
  private final TimeSource time;
  private double estimatedKeys;
  private boolean saturated;
  private final List<Double> rates = new ArrayList<>();

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
            directory.ask(tx -> new InfoReader(tx, reading, directory.time()).read());
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

  private InfoReader(Tx tx, FilterRecord filter, TimeSource time) {
    this.tx = tx;
    this.filter = filter;
    this.time = time;
  }

  /** Returns empty if the filter is gone. */
  private Optional<FilterInfo> read() {
    return UnfoldedKeys.read(tx, filter).map(this::read);
  }

  private FilterInfo read(UnfoldedKeys unfolded) {
    List<GenerationRecord> all = filter.set().all();
    Map<String, Long> tableBytes =
        TableSizes.read(
            tx,
            Stream.concat(
                    all.stream().map(GenerationRecord::slotTable), Stream.of(TableSizes.JOURNAL))
                .toList());
    List<SlotCounts> counts =
        all.stream().map(generation -> new SlotRows(generation).counts(tx)).toList();
    FilterHead head = unfolded.tail().head();
    WindowCounts window = WindowCounts.read(tx, filter, head, time);
    long keysSet = window.keysSet();
    double missingShare = missingShare(window, all, counts, unfolded);
    List<Generation> generations = new ArrayList<>();
    for (int place = 0; place < all.size(); place++) {
      GenerationRecord generation = all.get(place);
      long bytes =
          Math.max(
              tableBytes.getOrDefault(generation.slotTable(), 0L),
              counts.get(place).rows() * LEAST_SLOT_ROW_BYTES);
      long keys = unfolded.of(place);
      State state = state(window, generation);
      double share =
          state == State.ACTIVE
              ? missingShare
              : missingShare(List.of(counts.get(place)), keys, keysSet);
      generations.add(
          count(
              generation,
              state,
              window.bucket(generation),
              counts.get(place),
              bytes,
              keys,
              keys * share));
    }
    long journalRows = Journal.rows(tx, filter.id());
    // The statistics of the server may be from before most of the entries.
    long journalBytes =
        Math.max(
            tableBytes.getOrDefault(TableSizes.JOURNAL, 0L),
            Journal.bytes(tx, filter.id(), journalRows));
    return info(unfolded.tail(), window, List.copyOf(generations), journalRows, journalBytes);
  }

  private State state(WindowCounts window, GenerationRecord generation) {
    if (!filter.generations().contains(generation)) {
      return State.FILLING;
    }
    return window.hasExpired(generation) ? State.EXPIRED : State.ACTIVE;
  }

  private double missingShare(
      WindowCounts window,
      List<GenerationRecord> all,
      List<SlotCounts> counts,
      UnfoldedKeys unfolded) {
    List<Integer> answering =
        IntStream.range(0, all.size())
            .filter(place -> state(window, all.get(place)) == State.ACTIVE)
            .boxed()
            .toList();
    return missingShare(
        answering.stream().map(counts::get).toList(),
        answering.stream().mapToLong(unfolded::of).sum(),
        window.keysSet());
  }

  /** Returns the share of the unfolded keys of some generations whose bits are not there yet. */
  private static double missingShare(List<SlotCounts> counts, long unfolded, long keysSet) {
    double there = counts.stream().mapToDouble(count -> count.fill().estimatedKeys()).sum();
    return unfolded == 0 ? 0 : Math.max(0, Math.min(1, (keysSet - there) / unfolded));
  }

  private Generation count(
      GenerationRecord generation,
      State state,
      Optional<FilterInfo.Bucket> bucket,
      SlotCounts counts,
      long tableBytes,
      long unfolded,
      double missing) {
    Fill fill = counts.fill();
    double rate = rate(fill, missing);
    if (state == State.ACTIVE) {
      estimatedKeys += fill.estimatedKeys() + missing;
      saturated |= fill.saturated();
      rates.add(rate);
    }
    return new ReadInfo.ReadGeneration(
        generation.number(),
        state,
        bucket,
        generation.capacity(),
        generation.falsePositiveRate(),
        generation.parameters().bits(),
        generation.parameters().hashes(),
        generation.slotTable(),
        counts.rows(),
        tableBytes,
        fill.bitsSet(),
        unfolded,
        fraction(fill, missing),
        rate);
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

  private FilterInfo info(
      Tail tail,
      WindowCounts window,
      List<Generation> generations,
      long journalRows,
      long journalBytes) {
    FilterHead head = tail.head();
    Duration lag = Journal.age(tx, filter.id(), tail.after() + 1).orElse(Duration.ZERO);
    FilterUsage usage = UsageRows.sumOfDays(tx, filter.id(), head.epoch(), FilterInfo.USAGE_DAYS);
    return new ReadInfo(
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
        head.whenFull(),
        head.epoch(),
        window.keysAdded(),
        window.keysRenewed(),
        window.keysRemoved(),
        filter.removal() == null ? 0 : filter.removal().most(head.capacity()),
        estimatedKeys,
        saturated,
        rates.isEmpty() ? 0 : Fill.anyFalsePositiveRate(rates),
        head.lastSeq(),
        tail.after(),
        journalRows,
        journalBytes,
        lag,
        usage,
        filter.createdAt(),
        Optional.ofNullable(head.expiresAt()),
        generations);
  }
}
