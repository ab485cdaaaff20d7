package io.github.slotbloom.spring.boot;

import io.github.slotbloom.error.FilterMismatchException;
import io.github.slotbloom.error.SchemaException;
import io.github.slotbloom.error.SlotBloomException;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Shows what the library says, which names the remedy, without the stack of the beans. */
final class SlotBloomFailureAnalyzer extends AbstractFailureAnalyzer<SlotBloomException> {

  @Override
  protected FailureAnalysis analyze(Throwable rootFailure, SlotBloomException cause) {
    return new FailureAnalysis(cause.getMessage(), action(cause), cause);
  }

  private static @Nullable String action(SlotBloomException cause) {
    if (cause instanceof FilterMismatchException) {
      return "Change the properties in slotbloom.filters to match what is stored, or declare a"
          + " filter with another name.";
    }
    if (cause instanceof SchemaException) {
      return "Set slotbloom.initialize-schema=always and use an account that can create tables and"
          + " views, or run the SQL of SlotBloom.schemaSql() before the application starts."
          + " If you define the SlotBloom bean yourself, call migrate on it.";
    }
    return null;
  }
}
