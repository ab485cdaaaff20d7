package io.github.slotbloom.perf;

import io.github.slotbloom.perf.report.CaseReport;

/** One measurement. */
public interface PerfCase {

  /** Returns the name for {@code --only}. */
  String id();

  String title();

  void run(Bench bench, CaseReport report) throws Exception;
}
