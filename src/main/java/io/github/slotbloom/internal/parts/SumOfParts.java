package io.github.slotbloom.internal.parts;

import io.github.slotbloom.internal.engine.EngineStatistics;
import io.github.slotbloom.report.CurrentFalsePositiveRate;
import io.github.slotbloom.report.FilterUsage;
import io.github.slotbloom.report.ProcessStatistics;
import io.github.slotbloom.report.ProcessStatistics.DatabaseAnswers;
import io.github.slotbloom.report.ProcessStatistics.MirrorState;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.ToDoubleFunction;
import java.util.function.ToLongFunction;

/** Sums up the figures of a process on several parts, as those on one filter. */
public final class SumOfParts {

  private SumOfParts() {}

  public static ProcessStatistics of(List<ProcessStatistics> parts) {
    return new EngineStatistics(
        new FilterUsage(
            sum(parts, part -> part.usage().negatives()),
            sum(parts, part -> part.usage().positives()),
            sum(parts, part -> part.usage().newKeys()),
            sum(parts, part -> part.usage().seenKeys()),
            sum(parts, part -> part.usage().falsePositives())),
        new DatabaseAnswers(
            sum(parts, part -> part.byDatabase().negatives()),
            sum(parts, part -> part.byDatabase().positives())),
        sum(parts, ProcessStatistics::waited),
        sum(parts, ProcessStatistics::queuedKeys),
        sum(parts, ProcessStatistics::backlog),
        parts.stream().mapToDouble(ProcessStatistics::used).max().orElse(0),
        mirror(parts),
        () -> currentFalsePositiveRate(parts));
  }

  /** Returns the mean, since each key is as likely to belong to one part as to any other. */
  private static CurrentFalsePositiveRate currentFalsePositiveRate(List<ProcessStatistics> parts) {
    List<CurrentFalsePositiveRate> rates =
        parts.stream().map(ProcessStatistics::currentFalsePositiveRate).toList();
    return new CurrentFalsePositiveRate(
        mean(rates, CurrentFalsePositiveRate::current),
        mean(rates, CurrentFalsePositiveRate::target));
  }

  private static Optional<MirrorState> mirror(List<ProcessStatistics> parts) {
    List<MirrorState> mirrors = parts.stream().flatMap(part -> part.mirror().stream()).toList();
    return mirrors.stream()
        .map(MirrorState::age)
        .max(Comparator.<Duration>naturalOrder())
        .map(
            oldest ->
                new MirrorState(
                    sum(mirrors, MirrorState::bytes),
                    sum(mirrors, MirrorState::cursor),
                    sum(mirrors, MirrorState::entriesBehind),
                    oldest));
  }

  private static <T> long sum(List<T> parts, ToLongFunction<T> figure) {
    return parts.stream().mapToLong(figure).sum();
  }

  private static <T> double mean(List<T> parts, ToDoubleFunction<T> figure) {
    return parts.stream().mapToDouble(figure).average().orElse(0);
  }
}
