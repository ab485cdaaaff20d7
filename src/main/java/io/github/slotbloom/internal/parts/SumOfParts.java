package io.github.slotbloom.internal.parts;

import io.github.slotbloom.report.CurrentFalsePositiveRate;
import io.github.slotbloom.report.FilterUsage;
import io.github.slotbloom.report.ProcessStatistics;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.ToDoubleFunction;
import java.util.function.ToLongFunction;

/** The figures of a process on several parts as those on one filter. */
public record SumOfParts(List<ProcessStatistics> parts) implements ProcessStatistics {

  @Override
  public FilterUsage usage() {
    return new FilterUsage(
        sum(parts, part -> part.usage().negatives()),
        sum(parts, part -> part.usage().positives()),
        sum(parts, part -> part.usage().newKeys()),
        sum(parts, part -> part.usage().seenKeys()),
        sum(parts, part -> part.usage().falsePositives()));
  }

  @Override
  public DatabaseAnswers byDatabase() {
    return new DatabaseAnswers(
        sum(parts, part -> part.byDatabase().negatives()),
        sum(parts, part -> part.byDatabase().positives()));
  }

  @Override
  public long waited() {
    return sum(parts, ProcessStatistics::waited);
  }

  @Override
  public long queuedKeys() {
    return sum(parts, ProcessStatistics::queuedKeys);
  }

  @Override
  public long backlog() {
    return sum(parts, ProcessStatistics::backlog);
  }

  @Override
  public double used() {
    return parts.stream().mapToDouble(ProcessStatistics::used).max().orElse(0);
  }

  /** Returns the mean, since each key is as likely to belong to one part as to any other. */
  @Override
  public CurrentFalsePositiveRate currentFalsePositiveRate() {
    List<CurrentFalsePositiveRate> rates =
        parts.stream().map(ProcessStatistics::currentFalsePositiveRate).toList();
    return new CurrentFalsePositiveRate(
        mean(rates, CurrentFalsePositiveRate::current),
        mean(rates, CurrentFalsePositiveRate::target));
  }

  @Override
  public Optional<MirrorState> mirror() {
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
