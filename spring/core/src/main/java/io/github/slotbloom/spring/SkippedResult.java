package io.github.slotbloom.spring;

import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;
import org.springframework.core.ReactiveAdapterRegistry;

/** What a call returns that is skipped: see {@link Refusal#SKIP}. */
final class SkippedResult {

  private final @Nullable Object value;

  /** Finds it, or refuses the method. */
  SkippedResult(AnnotatedMethod annotated) {
    Class<?> type = annotated.method().getReturnType();
    if (isLater(type)) {
      throw annotated.refused(
          ("it returns a %s, and so before its work is done. The key would be recorded too early."
                  + " Put the annotation on a method that does the work")
              .formatted(type.getSimpleName()));
    }
    value = of(type);
    if (value == null && type.isPrimitive() && type != void.class && mayBeSkipped(annotated)) {
      throw annotated.refused(
          ("it returns %s, which has no value for a call that is skipped. Return an object, such as"
                  + " an OptionalInt, or let onDuplicate and onExpired be FAIL")
              .formatted(type));
    }
  }

  private static boolean isLater(Class<?> type) {
    return Future.class.isAssignableFrom(type)
        || CompletionStage.class.isAssignableFrom(type)
        || ReactiveAdapterRegistry.getSharedInstance().getAdapter(type) != null;
  }

  private static boolean mayBeSkipped(AnnotatedMethod annotated) {
    Deduplicate annotation = annotated.annotation();
    return annotation.onDuplicate() == Refusal.SKIP
        || (!annotation.eventTime().isEmpty() && annotation.onExpired() == Refusal.SKIP);
  }

  private static @Nullable Object of(Class<?> type) {
    if (type == boolean.class || type == Boolean.class) {
      return false;
    }
    if (type == Optional.class) {
      return Optional.empty();
    }
    if (type == OptionalInt.class) {
      return OptionalInt.empty();
    }
    if (type == OptionalLong.class) {
      return OptionalLong.empty();
    }
    return type == OptionalDouble.class ? OptionalDouble.empty() : null;
  }

  @Nullable Object value() {
    return value;
  }
}
