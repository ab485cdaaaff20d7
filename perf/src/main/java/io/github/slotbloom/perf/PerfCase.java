package io.github.slotbloom.perf;

import io.github.slotbloom.perf.report.CaseReport;

/** One thing that is measured. */
public interface PerfCase {

  /** For {@code --only}. */
  String id();

  String title();

  void run(Bench bench, CaseReport report) throws Exception;
}
