package io.github.slotbloom.internal.engine;

import io.github.slotbloom.report.CurrentFalsePositiveRate;
import io.github.slotbloom.report.FilterUsage;
import io.github.slotbloom.report.ProcessStatistics;
import java.util.Optional;
import java.util.function.Supplier;

/** The figures on what this process asks and holds of one filter. */
public record EngineStatistics(
    FilterUsage usage,
    DatabaseAnswers byDatabase,
    long waited,
    long queuedKeys,
    long backlog,
    double used,
    Optional<MirrorState> mirror,
    Supplier<CurrentFalsePositiveRate> falsePositiveRate)
    implements ProcessStatistics {

  @Override
  public CurrentFalsePositiveRate currentFalsePositiveRate() {
    return falsePositiveRate.get();
  }
}
