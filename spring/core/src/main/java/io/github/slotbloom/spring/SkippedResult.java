package io.github.slotbloom.spring;

import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import java.util.concurrent.Future;
import java.util.stream.BaseStream;
import org.jspecify.annotations.Nullable;
import org.springframework.core.ReactiveAdapterRegistry;

/** What a call returns that is skipped: see {@link Refusal#SKIP}. */
final class SkippedResult {

  private static final List<Class<?>> LATER =
      List.of(
          Future.class,
          CompletionStage.class,
          Callable.class,
          Flow.Publisher.class,
          BaseStream.class,
          Iterator.class);

  /** Not on the class path of every application. */
  private static final Set<String> LATER_BY_NAME =
      Set.of(
          "org.reactivestreams.Publisher",
          "kotlin.sequences.Sequence",
          "kotlinx.coroutines.Job",
          "kotlinx.coroutines.flow.Flow",
          "org.springframework.web.context.request.async.DeferredResult",
          "org.springframework.web.context.request.async.WebAsyncTask");

  private static final String SUSPENDING = "kotlin.coroutines.Continuation";

  private final @Nullable Object value;

  /** Finds it, or refuses the method. */
  SkippedResult(AnnotatedMethod annotated) {
    Class<?> type = annotated.method().getReturnType();
    Class<?>[] parameters = annotated.method().getParameterTypes();
    if (parameters.length > 0 && parameters[parameters.length - 1].getName().equals(SUSPENDING)) {
      throw annotated.refused(
          "it is a suspend function, which returns before its work is done. The key would be"
              + " recorded too early. Put the annotation on a function that does not suspend");
    }
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
    return LATER.stream().anyMatch(later -> later.isAssignableFrom(type))
        || isNamed(LATER_BY_NAME, type)
        || ReactiveAdapterRegistry.getSharedInstance().getAdapter(type) != null;
  }

  /** Returns whether a type, or any that it extends, has one of the names. */
  private static boolean isNamed(Set<String> names, @Nullable Class<?> type) {
    return type != null
        && (names.contains(type.getName())
            || isNamed(names, type.getSuperclass())
            || Arrays.stream(type.getInterfaces()).anyMatch(one -> isNamed(names, one)));
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
