package io.github.slotbloom.micrometer;

import io.github.slotbloom.report.FilterUsage;
import io.github.slotbloom.report.ProcessStatistics;
import io.github.slotbloom.report.ProcessStatistics.DatabaseAnswers;

/**
 * Counts of lookups and adds.
 *
 * @param usage all of them
 * @param byDatabase the lookups among them for which the database was asked
 */
record AnswerCounts(FilterUsage usage, DatabaseAnswers byDatabase) {

  static final AnswerCounts NONE = new AnswerCounts(FilterUsage.NONE, new DatabaseAnswers(0, 0));

  static AnswerCounts of(ProcessStatistics statistics) {
    return new AnswerCounts(statistics.usage(), statistics.byDatabase());
  }

  AnswerCounts plus(AnswerCounts more) {
    return new AnswerCounts(
        new FilterUsage(
            usage.negatives() + more.usage.negatives(),
            usage.positives() + more.usage.positives(),
            usage.newKeys() + more.usage.newKeys(),
            usage.seenKeys() + more.usage.seenKeys(),
            usage.falsePositives() + more.usage.falsePositives()),
        new DatabaseAnswers(
            byDatabase.negatives() + more.byDatabase.negatives(),
            byDatabase.positives() + more.byDatabase.positives()));
  }

  long newKeys() {
    return usage.newKeys();
  }

  long seenKeys() {
    return usage.seenKeys();
  }

  long yesFromMemory() {
    return usage.positives() - byDatabase.positives();
  }

  long yesFromDatabase() {
    return byDatabase.positives();
  }

  long noFromMemory() {
    return usage.negatives() - byDatabase.negatives();
  }

  long noFromDatabase() {
    return byDatabase.negatives();
  }

  /** Returns NaN as long as no false positive was reported. */
  double observedFalsePositiveRate() {
    return usage.observedFalsePositiveRate().orElse(Double.NaN);
  }
}
