package io.github.slotbloom.perf;

import io.github.slotbloom.perf.report.CaseReport;

/** What a case does. */
public interface Measurement {

  void run(Bench bench, CaseReport report) throws Exception;
}
