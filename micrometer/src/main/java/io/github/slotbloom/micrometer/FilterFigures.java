package io.github.slotbloom.micrometer;

import io.github.slotbloom.BloomFilter;
import io.github.slotbloom.report.ProcessStatistics;
import java.util.ArrayList;
import java.util.DoubleSummaryStatistics;
import java.util.List;
import java.util.function.LongSupplier;
import java.util.function.ToDoubleFunction;
import java.util.function.ToLongFunction;
import java.util.stream.DoubleStream;

/**
 * The figures of all open filters of one name. Counts include filters that were closed while
 * another one stayed open, so that they never fall. Thread-safe.
 */
final class FilterFigures {

  private record Open(BloomFilter<?> filter, RecentFalsePositiveRate falsePositiveRate) {}

  private final LongSupplier nanoTime;
  private final List<Open> open = new ArrayList<>();
  private AnswerCounts ofClosed = AnswerCounts.NONE;

  FilterFigures(LongSupplier nanoTime) {
    this.nanoTime = nanoTime;
  }

  synchronized void opened(BloomFilter<?> filter) {
    open.add(
        new Open(
            filter,
            new RecentFalsePositiveRate(
                () -> filter.statistics().currentFalsePositiveRate(), nanoTime)));
  }

  /** Takes in that a filter was closed. Returns true if that was the last one. */
  synchronized boolean closed(BloomFilter<?> filter) {
    if (open.removeIf(one -> one.filter() == filter)) {
      ofClosed = ofClosed.plus(AnswerCounts.of(filter.statistics()));
    }
    return open.isEmpty();
  }

  private synchronized AnswerCounts counts() {
    AnswerCounts all = ofClosed;
    for (Open one : open) {
      all = all.plus(AnswerCounts.of(one.filter().statistics()));
    }
    return all;
  }

  double newKeys() {
    return counts().newKeys();
  }

  double seenKeys() {
    return counts().seenKeys();
  }

  double yesFromMemory() {
    return counts().yesFromMemory();
  }

  double yesFromDatabase() {
    return counts().yesFromDatabase();
  }

  double noFromMemory() {
    return counts().noFromMemory();
  }

  double noFromDatabase() {
    return counts().noFromDatabase();
  }

  double observedRate() {
    return counts().observedFalsePositiveRate();
  }

  double mirrorLagSeconds() {
    return greatest(
        statistics().stream()
            .flatMap(one -> one.mirror().stream())
            .mapToDouble(mirror -> mirror.age().toNanos() / 1e9));
  }

  double mirrorBytes() {
    return sum(one -> one.mirror().map(ProcessStatistics.MirrorState::bytes).orElse(0L));
  }

  double queuedKeys() {
    return sum(ProcessStatistics::queuedKeys);
  }

  double backlog() {
    return greatest(statistics().stream().mapToDouble(ProcessStatistics::backlog));
  }

  double used() {
    return greatest(statistics().stream().mapToDouble(ProcessStatistics::used));
  }

  double targetRate() {
    return greatestRate(rate -> rate.now().target());
  }

  double estimatedRate() {
    return greatestRate(rate -> rate.now().current());
  }

  /** Takes no lock, since the rate of a large filter takes a while. */
  private double greatestRate(ToDoubleFunction<RecentFalsePositiveRate> rate) {
    return greatest(copy().stream().map(Open::falsePositiveRate).mapToDouble(rate));
  }

  private double sum(ToLongFunction<ProcessStatistics> figure) {
    return statistics().stream().mapToLong(figure).sum();
  }

  private List<ProcessStatistics> statistics() {
    return copy().stream().map(Open::filter).map(BloomFilter::statistics).toList();
  }

  private synchronized List<Open> copy() {
    return List.copyOf(open);
  }

  private static double greatest(DoubleStream figures) {
    DoubleSummaryStatistics all = figures.summaryStatistics();
    return all.getCount() == 0 ? Double.NaN : all.getMax();
  }
}
