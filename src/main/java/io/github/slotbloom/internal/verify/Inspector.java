package io.github.slotbloom.internal.verify;

import io.github.slotbloom.core.Window;
import io.github.slotbloom.error.CorruptFilterException;
import io.github.slotbloom.error.InvalidParameterException;
import io.github.slotbloom.error.SchemaException;
import io.github.slotbloom.internal.bits.Probe;
import io.github.slotbloom.internal.bits.SlotReader;
import io.github.slotbloom.internal.context.FollowedFilter;
import io.github.slotbloom.internal.context.RetriedTransactions;
import io.github.slotbloom.internal.membership.DirectKeys;
import io.github.slotbloom.internal.membership.GenerationBits;
import io.github.slotbloom.internal.membership.RemovedKeys;
import io.github.slotbloom.internal.mirror.FilterNotReady;
import io.github.slotbloom.internal.store.catalog.ExpiryRows;
import io.github.slotbloom.internal.store.filter.Bucket;
import io.github.slotbloom.internal.store.filter.FilterHead;
import io.github.slotbloom.internal.store.filter.FilterRecord;
import io.github.slotbloom.internal.store.filter.GenerationRecord;
import io.github.slotbloom.internal.store.filter.Manifest;
import io.github.slotbloom.internal.store.journal.HashBlocks;
import io.github.slotbloom.internal.store.journal.Journal;
import io.github.slotbloom.internal.store.journal.JournalChain;
import io.github.slotbloom.internal.store.journal.JournalEntry;
import io.github.slotbloom.internal.store.journal.Tail;
import io.github.slotbloom.internal.store.journal.TailReader;
import io.github.slotbloom.internal.store.session.Tx;
import io.github.slotbloom.internal.store.slots.SlotMasks;
import io.github.slotbloom.internal.store.slots.SlotRanges;
import io.github.slotbloom.internal.time.DatabaseClock;
import io.github.slotbloom.internal.time.TimeSource;
import io.github.slotbloom.report.HeatMap;
import io.github.slotbloom.report.Inspection;
import io.github.slotbloom.report.KeyExplanation;
import io.github.slotbloom.report.KeyExplanation.InGeneration;
import io.github.slotbloom.report.KeyExplanation.Probed;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/** Looks into a filter that need not be open, while others use it. Writes nothing. */
public final class Inspector {

  private final FollowedFilter followed;
  private final RetriedTransactions transactions;
  private final TimeSource time;

  public Inspector(FilterRecord filter, RetriedTransactions transactions, TimeSource time) {
    this.followed = new FollowedFilter(filter);
    this.transactions = transactions;
    this.time = time;
  }

  /**
   * How full each part of each generation is.
   *
   * @param ranges how many parts each generation is divided into at most
   */
  public Inspection inspect(int ranges) {
    if (ranges < 1 || ranges > Inspection.MOST_RANGES) {
      throw new InvalidParameterException(
          "A generation is shown in 1 to %s ranges, not %s."
              .formatted(Inspection.MOST_RANGES, ranges));
    }
    return whileItLasts(
        filter -> {
          Tail tail =
              transactions.ask(
                  tx ->
                      TailReader.tail(tx, filter, Long.MAX_VALUE)
                          .orElseThrow(() -> FilterNotReady.gone(filter)));
          FilterHead head = tail.head();
          return new Inspection(
              filter.name().value(),
              filter.layout().name().toLowerCase(Locale.ROOT),
              filter.keyType(),
              filter.capacity(),
              filter.falsePositiveRate(),
              head.keysAdded(),
              head.epoch(),
              head.lastSeq(),
              tail.foldedSeq(),
              filter.manifest().all().stream().map(g -> heatMap(g, filter, ranges)).toList());
        });
  }

  private HeatMap heatMap(GenerationRecord generation, FilterRecord filter, int most) {
    SlotRanges counts = new SlotRanges(generation, most);
    Optional<Long> next = Optional.of(0L);
    while (next.isPresent()) {
      long from = next.get();
      next = transactions.ask(tx -> counts.countNext(tx, from));
    }
    List<HeatMap.Range> ranges = new ArrayList<>();
    for (int i = 0; i < counts.size(); i++) {
      ranges.add(
          new HeatMap.Range(
              i * counts.slotsPerRange(), counts.slots(i), counts.rows(i), counts.bitsSet(i)));
    }
    return new HeatMap(
        generation.number(),
        filter.generations().contains(generation),
        generation.slotTable(),
        generation.parameters().bits(),
        generation.parameters().hashes(),
        generation.parameters().slots(),
        counts.slotsPerRange(),
        List.copyOf(ranges));
  }

  /** Returns the bucket that the database clock is in, as far as it can be believed. */
  private long bucketNow(Tx tx, FilterRecord filter) {
    Window window = filter.window();
    if (window == null) {
      return FilterHead.NO_BUCKET;
    }
    return DatabaseClock.credibleBucket(window, ExpiryRows.nowMicros(tx), time);
  }

  /** Where the bits of a key lie, which of them are set, and who sets them. */
  public KeyExplanation explain(long hash) {
    return whileItLasts(filter -> transactions.ask(tx -> explain(tx, filter, hash)));
  }

  /** The journal before the slots, as all do who ask the tables: see {@link DirectKeys}. */
  private KeyExplanation explain(Tx tx, FilterRecord filter, long hash) {
    Manifest manifest = filter.manifest();
    List<Probe> probes =
        manifest.all().stream().map(GenerationRecord::parameters).map(Probe::of).toList();
    List<SlotMasks> journaled = manifest.all().stream().map(generation -> new SlotMasks()).toList();
    List<KeyExplanation.Entry> holding = new ArrayList<>();
    RemovedKeys removed = filter.removable() ? new RemovedKeys(filter, new long[] {hash}) : null;
    Tail tail = TailReader.unfolded(tx, filter).orElseThrow(() -> FilterNotReady.gone(filter));
    JournalChain chain = tail.chain(filter.name());
    List<JournalEntry> entries = tail.entries();
    while (!entries.isEmpty()) {
      for (JournalEntry entry : entries) {
        entry.forEachTaker(
            manifest, place -> entry.forEachMask(probes.get(place), journaled.get(place)));
        if (removed != null) {
          removed.addJournaled(entry);
        }
        if (LongStream.of(entry.hashes()).anyMatch(recorded -> recorded == hash)) {
          String kind = entry.kind().name().toLowerCase(Locale.ROOT);
          holding.add(new KeyExplanation.Entry(entry.seq(), kind));
        }
      }
      entries = Journal.next(tx, filter, chain, tail.head().lastSeq());
    }
    long now = bucketNow(tx, filter);
    List<InGeneration> explained = new ArrayList<>();
    for (int place = 0; place < manifest.all().size(); place++) {
      GenerationRecord generation = manifest.all().get(place);
      GenerationBits stored = new GenerationBits(generation, new long[] {hash});
      stored.addSlots(tx);
      Bucket bucket = generation.bucket();
      explained.add(
          new InGeneration(
              generation.number(),
              manifest.read().contains(generation),
              generation.slotTable(),
              probed(probes.get(place).positions(hash), stored, journaled.get(place)::mask),
              bucket != null && !bucket.answersIn(now)));
    }
    return new KeyExplanation(
        filter.name().value(),
        hash,
        tail.head().lastSeq(),
        tail.foldedSeq(),
        List.copyOf(explained),
        List.copyOf(holding),
        filter.retainHashes() ? HashBlocks.holds(tx, filter, hash) : null,
        removed == null ? null : removedBy(tx, removed, manifest, hash));
  }

  private static @Nullable Long removedBy(
      Tx tx, RemovedKeys removed, Manifest manifest, long hash) {
    removed.addRows(tx, new long[] {hash});
    long seq = removed.removedBy(hash, 0);
    return seq > manifest.removedAfter() ? seq : null;
  }

  private static List<Probed> probed(long[] positions, SlotReader stored, SlotReader journaled) {
    return LongStream.of(positions)
        .mapToObj(
            position -> {
              long slot = position / Long.SIZE;
              long bit = 1L << position;
              return new Probed(
                  position,
                  slot,
                  (int) (position % Long.SIZE),
                  (stored.bits(slot) & bit) != 0,
                  (journaled.bits(slot) & bit) != 0);
            })
        .toList();
  }

  /** Looks again where the filter was cleared, or got other generations, meanwhile. */
  private <T> T whileItLasts(Function<FilterRecord, T> look) {
    while (true) {
      FilterRecord filter = transactions.ask(this::active);
      try {
        T seen = look.apply(filter);
        if (isAsBefore(filter)) {
          return seen;
        }
      } catch (SchemaException | CorruptFilterException e) {
        if (isAsBefore(filter)) {
          throw e;
        }
      }
    }
  }

  private FilterRecord active(Tx tx) {
    FilterRecord filter = followed.requireUnchanged(tx);
    FilterNotReady.requireActive(filter.name(), filter.head());
    return filter;
  }

  private boolean isAsBefore(FilterRecord filter) {
    FilterRecord now = transactions.ask(this::active);
    return filter.knows(now.head());
  }
}
