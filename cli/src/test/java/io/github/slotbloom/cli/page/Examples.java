package io.github.slotbloom.cli.page;

import io.github.slotbloom.FilterInfo;
import io.github.slotbloom.FilterInfo.Bucket;
import io.github.slotbloom.FilterInfo.Generation;
import io.github.slotbloom.FilterInfo.Generation.State;
import io.github.slotbloom.core.BloomParameters;
import io.github.slotbloom.core.Fill;
import io.github.slotbloom.core.Layout;
import io.github.slotbloom.core.OnFull;
import io.github.slotbloom.core.Seed;
import io.github.slotbloom.core.Sizing;
import io.github.slotbloom.core.Window;
import io.github.slotbloom.internal.bits.FillCount;
import io.github.slotbloom.internal.bits.Probe;
import io.github.slotbloom.report.FilterUsage;
import io.github.slotbloom.report.HeatMap;
import io.github.slotbloom.report.HeatMap.Range;
import io.github.slotbloom.report.Inspection;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/**
 * A filter that was really filled, in memory: its figures and its heat maps. By default of one
 * generation for 10,000 keys at a false positive rate of 0.001, half full, that grows
 * automatically.
 */
final class Examples {

  private static final Instant FIRST_BUCKET = Instant.parse("2026-03-02T00:00:00Z");

  static final Instant CREATED = Instant.parse("2026-01-02T03:04:05Z");

  String name = "words";
  String hash = "xxh3_64";
  Seed seed = new Seed(0, false);
  Layout layout = Layout.BLOCKED;
  boolean growable = true;
  OnFull onFull = OnFull.GROW;
  long capacity = 10_000;
  double target = 0.001;
  boolean retainHashes;
  long keysAdded = 5_000;
  long keysRemoved;
  long removableKeys;
  long unfolded;
  Duration lag = Duration.ZERO;
  FilterUsage usage = FilterUsage.NONE;
  boolean beingReplaced;

  /** If it is one, each generation is a bucket of a day, and the first is that of 2 March 2026. */
  @Nullable Window window;

  /** How many of its generations expired. */
  int expired;

  /** The present day, counted from that of the first bucket. */
  int today;

  long keysRenewed;

  /** What is counted but has no bits. */
  long lostKeys;

  private final Random random = new Random(42);
  private final List<long[]> slots = new ArrayList<>();
  private final List<Generation> generations = new ArrayList<>();
  private final List<HeatMap> maps = new ArrayList<>();

  /** Changes the slots of the first generation once they are filled. */
  interface Change {
    void of(long[] slots);
  }

  private Change change = unchanged -> {};

  Examples changed(Change after) {
    change = after;
    return this;
  }

  /** Fills one generation more, with so many keys. */
  Examples generation(long ofCapacity, double rate, long keys) {
    BloomParameters parameters = Sizing.forCapacity(layout, ofCapacity, rate);
    long[] bits = new long[(int) parameters.slots()];
    Probe probe = Probe.of(parameters);
    for (long i = 0; i < keys; i++) {
      for (long position : probe.positions(random.nextLong())) {
        bits[(int) (position / Long.SIZE)] |= 1L << position;
      }
    }
    if (generations.isEmpty()) {
      change.of(bits);
    }
    boolean last = generations.size() == 1 && beingReplaced;
    FillCount count = new FillCount(parameters);
    count.add(bits, bits.length);
    Fill fill = count.fill();
    String table = "bloom_bits_" + name + "_v" + (generations.size() + 1);
    generations.add(
        new Generation(
            generations.size() + 1,
            state(last),
            bucket(generations.size(), keys),
            ofCapacity,
            rate,
            parameters.bits(),
            parameters.hashes(),
            table,
            Arrays.stream(bits).filter(slot -> slot != 0).count(),
            bits.length * 40L,
            fill.bitsSet(),
            0,
            fill.fraction(),
            fill.falsePositiveRate()));
    maps.add(map(parameters, table, bits, !last));
    slots.add(bits);
    return this;
  }

  private State state(boolean filling) {
    if (generations.size() < expired) {
      return State.EXPIRED;
    }
    return filling ? State.FILLING : State.ACTIVE;
  }

  private Optional<Bucket> bucket(int day, long keys) {
    if (window == null) {
      return Optional.empty();
    }
    Duration length = window.bucketLength();
    Instant begin = FIRST_BUCKET.plus(length.multipliedBy(day));
    return Optional.of(
        new Bucket(
            begin,
            begin.plus(length),
            begin.plus(window.length()).plus(length),
            day < today,
            keys));
  }

  private HeatMap map(BloomParameters parameters, String table, long[] bits, boolean answers) {
    int most = Evidence.MOST_RANGES;
    int unit = layout == Layout.BLOCKED ? 8 : 1;
    int perRange = (bits.length / unit + most - 1) / most * unit;
    List<Range> ranges = new ArrayList<>();
    for (int from = 0; from < bits.length; from += perRange) {
      long[] part = Arrays.copyOfRange(bits, from, Math.min(bits.length, from + perRange));
      ranges.add(
          new Range(
              from,
              part.length,
              Arrays.stream(part).filter(slot -> slot != 0).count(),
              Arrays.stream(part).map(Long::bitCount).sum()));
    }
    return new HeatMap(
        maps.size() + 1,
        answers,
        table,
        parameters.bits(),
        parameters.hashes(),
        bits.length,
        perRange,
        ranges);
  }

  private void fillIfNot() {
    if (generations.isEmpty()) {
      generation(capacity, target, keysAdded - lostKeys);
    }
  }

  FilterInfo info() {
    fillIfNot();
    double estimated = 0;
    List<Double> rates = new ArrayList<>();
    boolean saturated = false;
    for (int i = 0; i < generations.size(); i++) {
      Generation generation = generations.get(i);
      if (generation.state() == State.ACTIVE) {
        FillCount count =
            new FillCount(new BloomParameters(layout, generation.bits(), generation.hashes()));
        count.add(slots.get(i), slots.get(i).length);
        estimated += count.fill().estimatedKeys();
        saturated |= count.fill().saturated();
        rates.add(generation.currentFalsePositiveRate());
      }
    }
    return new FilterInfo(
        7,
        name,
        "text",
        hash,
        seed,
        layout,
        growable,
        retainHashes,
        Optional.ofNullable(window),
        capacity,
        capacity,
        target,
        onFull,
        1,
        keysAdded,
        keysRenewed,
        keysRemoved,
        removableKeys,
        estimated,
        saturated,
        Fill.anyFalsePositiveRate(rates),
        100,
        100 - unfolded,
        100,
        1L << 20,
        lag,
        usage,
        false,
        CREATED,
        Optional.empty(),
        List.copyOf(generations));
  }

  /** Makes it a window of a week, whose days had so many keys, each with a capacity of 1000. */
  Examples week(int... keysOfDays) {
    window = new Window(Duration.ofDays(7), 7, false);
    today = keysOfDays.length - 1;
    double rate = Sizing.firstGenerationRate(Sizing.bucketRate(target, 7));
    Arrays.stream(keysOfDays).forEach(keys -> generation(1000, rate, keys));
    keysAdded = Arrays.stream(keysOfDays).skip(expired).sum();
    capacity = keysAdded - keysOfDays[today] + 1000;
    return this;
  }

  List<HeatMap> maps() {
    fillIfNot();
    return List.copyOf(maps);
  }

  Inspection inspection() {
    return new Inspection(
        name, "layout", "text", capacity, target, keysAdded, 1, 100, 100 - unfolded, maps());
  }

  List<Notice> advice() {
    FilterInfo info = info();
    List<HeatGrid> grids = maps().stream().map(map -> new HeatGrid(map, layout)).toList();
    return new Advice(info, new RateModel(info), grids).all();
  }
}
