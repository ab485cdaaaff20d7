package io.github.slotbloom.perf.report;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The results of one run, and where it ran. */
public final class RunReport {

  private final Map<String, Object> circumstances = new LinkedHashMap<>();
  private final List<CaseReport> cases = new ArrayList<>();

  public void circumstance(String name, Object value) {
    circumstances.put(name, value);
  }

  public void add(CaseReport report) {
    cases.add(report);
  }

  public Map<String, Object> circumstances() {
    return circumstances;
  }

  public List<CaseReport> cases() {
    return cases;
  }

  public boolean isRight() {
    return cases.stream().allMatch(CaseReport::isRight);
  }
}
