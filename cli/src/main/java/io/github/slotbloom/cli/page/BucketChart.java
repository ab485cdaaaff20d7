package io.github.slotbloom.cli.page;

import io.github.slotbloom.FilterInfo;
import io.github.slotbloom.FilterInfo.Bucket;
import io.github.slotbloom.FilterInfo.Generation;
import io.github.slotbloom.FilterInfo.Generation.State;
import io.github.slotbloom.cli.page.RateChart.Tick;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * The buckets of a window over time: a bar for each, as wide as it lasts and as high as it has
 * keys. Positions are percentages of the width and height, from the top left.
 */
final class BucketChart {

  /**
   * A bar, and the table row that tells the same in numbers.
   *
   * @param kind how it is drawn: past, present or expired
   */
  record Bar(
      String kind,
      String x,
      String y,
      String width,
      String height,
      String begin,
      String end,
      String keys,
      String fill,
      String expires) {

    boolean isExpired() {
      return kind.equals("expired");
    }
  }

  /** The room between two bars, as a part of a bucket. */
  private static final double GAP = 0.08;

  private static final int MOST_KEY_TICKS = 4;
  private static final int MOST_TIME_TICKS = 4;

  private final Map<Bucket, List<Generation>> buckets = new LinkedHashMap<>();
  private final double begin;
  private final double end;
  private final double mostKeys;
  private final Scale times;
  private final Scale keys;

  /**
   * @throws IllegalArgumentException if the filter has no buckets
   */
  BucketChart(FilterInfo info) {
    for (Generation generation : info.generations()) {
      generation
          .bucket()
          .ifPresent(
              bucket -> buckets.computeIfAbsent(bucket, b -> new ArrayList<>()).add(generation));
    }
    if (buckets.isEmpty()) {
      throw new IllegalArgumentException("Filter " + info.name() + " has no buckets");
    }
    end = seconds(all(Bucket::end).max(Comparator.naturalOrder()).orElseThrow());
    double first = seconds(all(Bucket::begin).min(Comparator.naturalOrder()).orElseThrow());
    // The first buckets alone would fill the chart, and tell nothing of the window.
    begin =
        info.window()
            .map(window -> Math.min(first, end - window.length().toMillis() / 1000.0))
            .orElse(first);
    mostKeys = Math.max(1, buckets.keySet().stream().mapToLong(Bucket::keys).max().orElse(0));
    times = Scale.linear(begin, end);
    keys = Scale.linear(0, mostKeys);
  }

  private Stream<Instant> all(Function<Bucket, Instant> what) {
    return buckets.keySet().stream().map(what);
  }

  private static double seconds(Instant at) {
    return at.toEpochMilli() / 1000.0;
  }

  List<Bar> bars() {
    List<Bar> bars = new ArrayList<>();
    buckets.forEach((bucket, generations) -> bars.add(bar(bucket, generations)));
    return bars;
  }

  private Bar bar(Bucket bucket, List<Generation> generations) {
    double length = seconds(bucket.end()) - seconds(bucket.begin());
    double from = times.position(seconds(bucket.begin()) + length * GAP / 2);
    double to = times.position(seconds(bucket.end()) - length * GAP / 2);
    double height = keys.position((double) bucket.keys());
    return new Bar(
        kind(bucket, generations),
        place(from),
        place(1 - height),
        place(to - from),
        place(height),
        Notation.moment(bucket.begin()),
        Notation.moment(bucket.end()),
        Notation.count(bucket.keys()),
        Notation.share(fill(generations)),
        Notation.moment(bucket.expiresAt()));
  }

  private static String kind(Bucket bucket, List<Generation> generations) {
    if (generations.stream().allMatch(generation -> generation.state() == State.EXPIRED)) {
      return "expired";
    }
    return bucket.over() ? "past" : "current";
  }

  private static double fill(List<Generation> generations) {
    double bits = generations.stream().mapToLong(Generation::bits).sum();
    return generations.stream().mapToDouble(g -> g.fill() * g.bits()).sum() / bits;
  }

  List<Tick> keyTicks() {
    return Ticks.counts(mostKeys, MOST_KEY_TICKS).stream()
        .map(tick -> new Tick(place(1 - keys.position(tick)), Notation.compact(tick)))
        .toList();
  }

  /** Returns the beginnings of some of the buckets. */
  List<Tick> timeTicks() {
    List<Instant> begins = all(Bucket::begin).sorted().toList();
    int step = (begins.size() + MOST_TIME_TICKS - 1) / MOST_TIME_TICKS;
    List<Tick> ticks = new ArrayList<>();
    for (int i = 0; i < begins.size(); i += step) {
      Instant at = begins.get(i);
      ticks.add(new Tick(place(times.position(seconds(at))), Notation.moment(at)));
    }
    return ticks;
  }

  String from() {
    return Notation.moment(all(Bucket::begin).min(Comparator.naturalOrder()).orElseThrow());
  }

  String to() {
    return Notation.moment(all(Bucket::end).max(Comparator.naturalOrder()).orElseThrow());
  }

  /** Returns false for one bucket, whose bar would be as high as the chart whatever it holds. */
  boolean isDrawn() {
    return buckets.size() > 1;
  }

  String count() {
    return Notation.count(buckets.size(), "bucket");
  }

  private static String place(double position) {
    return String.format(Locale.ROOT, "%.2f%%", 100 * position);
  }
}
