package io.github.slotbloom.spring;

import java.lang.reflect.Method;
import org.jspecify.annotations.Nullable;

/** A method with {@link Deduplicate}, as its class has it. */
record AnnotatedMethod(Method method, Class<?> type, Deduplicate annotation) {

  /** Returns the failure to deduplicate the method. */
  IllegalStateException refused(String reason) {
    return refused(null, reason);
  }

  IllegalStateException refused(@Nullable Exception cause, String reason) {
    return new IllegalStateException(
        "%s cannot have @Deduplicate: %s.".formatted(this, reason), cause);
  }

  @Override
  public String toString() {
    return type.getSimpleName() + "." + method.getName();
  }
}
