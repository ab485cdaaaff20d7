package io.github.slotbloom.internal.parts;

import io.github.slotbloom.FilterInfo;
import io.github.slotbloom.FilterInfo.Bucket;
import io.github.slotbloom.FilterInfo.Generation;
import io.github.slotbloom.report.CurrentErrorRate;
import io.github.slotbloom.report.FilterUsage;
import io.github.slotbloom.report.ProcessStatistics;
import io.github.slotbloom.report.ProcessStatistics.DatabaseAnswers;
import io.github.slotbloom.report.ProcessStatistics.MirrorState;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.ToDoubleFunction;
import java.util.function.ToLongFunction;

/** Figures of several parts as those of one filter. */
public final class SumOfParts {

  private SumOfParts() {}

  /** Returns the figures of a process on all parts. */
  public static ProcessStatistics statistics(List<ProcessStatistics> parts) {
    List<MirrorState> mirrors = parts.stream().flatMap(part -> part.mirror().stream()).toList();
    return new ProcessStatistics(
        usage(parts.stream().map(ProcessStatistics::usage).toList()),
        new DatabaseAnswers(
            sum(parts, part -> part.byDatabase().negatives()),
            sum(parts, part -> part.byDatabase().positives())),
        sum(parts, ProcessStatistics::waited),
        sum(parts, ProcessStatistics::queuedKeys),
        sum(parts, ProcessStatistics::backlog),
        parts.stream().mapToDouble(ProcessStatistics::used).max().orElse(0),
        mirrors.isEmpty()
            ? Optional.empty()
            : Optional.of(
                new MirrorState(
                    sum(mirrors, MirrorState::bytes),
                    sum(mirrors, MirrorState::cursor),
                    sum(mirrors, MirrorState::entriesBehind),
                    longest(mirrors.stream().map(MirrorState::age).toList()))));
  }

  /** Returns the mean, since each key is as likely to belong to one part as to any other. */
  public static CurrentErrorRate errorRate(List<CurrentErrorRate> parts) {
    return new CurrentErrorRate(
        mean(parts, CurrentErrorRate::current), mean(parts, CurrentErrorRate::target));
  }

  /** Returns the figures of all parts under the name of the whole. */
  public static FilterInfo info(String name, List<FilterInfo> parts) {
    FilterInfo first = parts.get(0);
    return new FilterInfo(
        first.id(),
        name,
        first.keyType(),
        first.hash(),
        first.seed(),
        first.layout(),
        parts.stream().allMatch(FilterInfo::growable),
        parts.stream().allMatch(FilterInfo::retainHashes),
        first.window(),
        sum(parts, FilterInfo::capacity),
        mean(parts, FilterInfo::falsePositiveRate),
        first.whenFull(),
        parts.stream().mapToLong(FilterInfo::epoch).max().orElse(1),
        sum(parts, FilterInfo::keysAdded),
        sum(parts, FilterInfo::keysRenewed),
        sum(parts, FilterInfo::keysRemoved),
        sum(parts, FilterInfo::removableKeys),
        parts.stream().mapToDouble(FilterInfo::estimatedKeys).sum(),
        parts.stream().anyMatch(FilterInfo::saturated),
        mean(parts, FilterInfo::currentFalsePositiveRate),
        sum(parts, FilterInfo::lastSequence),
        sum(parts, FilterInfo::foldedSequence),
        sum(parts, FilterInfo::journalRows),
        sum(parts, FilterInfo::journalTableBytes),
        longest(parts.stream().map(FilterInfo::foldLag).toList()),
        usage(parts.stream().map(FilterInfo::usage).toList()),
        first.createdAt(),
        parts.stream()
            .flatMap(part -> part.expiresAt().stream())
            .min(Comparator.<Instant>naturalOrder()),
        generations(parts));
  }

  /**
   * Returns the generations of all parts. Those of one bucket have the keys that it has in all
   * parts: parts with as many keys in a bucket would count as one otherwise.
   */
  private static List<Generation> generations(List<FilterInfo> parts) {
    Map<Bucket, Long> keys = new HashMap<>();
    for (FilterInfo part : parts) {
      part.generations().stream()
          .flatMap(generation -> generation.bucket().stream())
          .distinct()
          .forEach(bucket -> keys.merge(with(bucket, 0), bucket.keys(), Long::sum));
    }
    return parts.stream()
        .flatMap(part -> part.generations().stream())
        .map(
            generation ->
                with(
                    generation,
                    generation
                        .bucket()
                        .map(its -> with(its, keys.getOrDefault(with(its, 0), its.keys())))))
        .toList();
  }

  private static Bucket with(Bucket bucket, long keys) {
    return new Bucket(bucket.begin(), bucket.end(), bucket.expiresAt(), bucket.over(), keys);
  }

  private static Generation with(Generation generation, Optional<Bucket> bucket) {
    return new Generation(
        generation.number(),
        generation.state(),
        bucket,
        generation.capacity(),
        generation.falsePositiveRate(),
        generation.bits(),
        generation.hashes(),
        generation.slotTable(),
        generation.slotRows(),
        generation.tableBytes(),
        generation.bitsSet(),
        generation.unfoldedKeys(),
        generation.fill(),
        generation.currentFalsePositiveRate());
  }

  private static FilterUsage usage(List<FilterUsage> parts) {
    return new FilterUsage(
        sum(parts, FilterUsage::negatives),
        sum(parts, FilterUsage::positives),
        sum(parts, FilterUsage::newKeys),
        sum(parts, FilterUsage::seenKeys),
        sum(parts, FilterUsage::falsePositives));
  }

  private static Duration longest(List<Duration> parts) {
    return parts.stream().max(Comparator.naturalOrder()).orElse(Duration.ZERO);
  }

  private static <T> long sum(List<T> parts, ToLongFunction<T> figure) {
    return parts.stream().mapToLong(figure).sum();
  }

  private static <T> double mean(List<T> parts, ToDoubleFunction<T> figure) {
    return parts.stream().mapToDouble(figure).average().orElse(0);
  }
}
