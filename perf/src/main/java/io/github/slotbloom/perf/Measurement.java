package io.github.slotbloom.perf;

import io.github.slotbloom.perf.report.CaseReport;

/** Runs one case. */
public interface Measurement {

  void run(Bench bench, CaseReport report) throws Exception;
}
