package io.github.slotbloom.spring;

import java.util.Arrays;
import java.util.Iterator;
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

/** The result of a call that is skipped: see {@link Refusal#SKIP}. */
final class SkippedResult {

  /** By name, since most are not on the class path of every application. */
  private static final Set<String> LATER =
      Set.of(
          Callable.class.getName(),
          Future.class.getName(),
          CompletionStage.class.getName(),
          Flow.Publisher.class.getName(),
          BaseStream.class.getName(),
          Iterator.class.getName(),
          "org.reactivestreams.Publisher",
          "kotlin.sequences.Sequence",
          "kotlinx.coroutines.Job",
          "kotlinx.coroutines.flow.Flow",
          "org.springframework.web.context.request.async.DeferredResult",
          "org.springframework.web.context.request.async.WebAsyncTask",
          "org.springframework.web.servlet.mvc.method.annotation.ResponseBodyEmitter",
          "org.springframework.web.servlet.mvc.method.annotation.StreamingResponseBody");

  private static final String SUSPENDING = "kotlin.coroutines.Continuation";

  private final @Nullable Object value;

  /** Finds it, or refuses the method. */
  SkippedResult(AnnotatedMethod annotated) {
    Class<?> type = annotated.method().getReturnType();
    Class<?>[] parameters = annotated.method().getParameterTypes();
    if (parameters.length > 0 && parameters[parameters.length - 1].getName().equals(SUSPENDING)) {
      throw annotated.refused(
          "it is a suspend function, which returns before its work is done, so the key would be"
              + " recorded too early. Annotate a function that does not suspend");
    }
    if (isLater(type) || ReactiveAdapterRegistry.getSharedInstance().getAdapter(type) != null) {
      throw annotated.refused(
          ("it returns a %s before its work is done, so the key would be recorded too early."
                  + " Annotate the method that does the work")
              .formatted(type.getSimpleName()));
    }
    value = of(type);
    if (value == null && type.isPrimitive() && type != void.class && mayBeSkipped(annotated)) {
      throw annotated.refused(
          ("it returns %s, which has no value for a skipped call. Return an object, such as an"
                  + " OptionalInt, or set onDuplicate and onExpired to FAIL")
              .formatted(type));
    }
  }

  private static boolean isLater(@Nullable Class<?> type) {
    return type != null
        && (LATER.contains(type.getName())
            || isLater(type.getSuperclass())
            || Arrays.stream(type.getInterfaces()).anyMatch(SkippedResult::isLater));
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
