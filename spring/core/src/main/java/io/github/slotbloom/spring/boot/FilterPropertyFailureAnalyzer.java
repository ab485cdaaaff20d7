package io.github.slotbloom.spring.boot;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Says which property of a filter cannot be, and what to do. */
final class FilterPropertyFailureAnalyzer extends AbstractFailureAnalyzer<FilterPropertyException> {

  @Override
  protected FailureAnalysis analyze(Throwable rootFailure, FilterPropertyException cause) {
    return new FailureAnalysis(cause.getMessage(), cause.remedy(), cause);
  }
}
