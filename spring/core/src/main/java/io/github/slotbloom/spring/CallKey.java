package io.github.slotbloom.spring;

import java.util.UUID;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanFactory;

/**
 * The key of a call, of the type that the filter takes. Thread-safe.
 *
 * @param <K> the type of the keys of the filter
 */
final class CallKey<K> {

  private final AnnotatedMethod annotated;
  private final Class<K> type;
  private final CallExpression expression;

  CallKey(AnnotatedMethod annotated, Class<K> type, BeanFactory beans) {
    this.annotated = annotated;
    this.type = type;
    this.expression = new CallExpression(annotated, "key", annotated.annotation().key(), beans);
  }

  K of(MethodInvocation call) {
    Object value = expression.of(call);
    if (value == null) {
      throw new IllegalArgumentException(
          "%s did not run: the key of this call, '%s', is null. Call the method only with a key."
              .formatted(annotated, expression));
    }
    Object converted = converted(value);
    if (converted == null) {
      throw new IllegalArgumentException(
          ("%s did not run: the key of this call, '%s', is of the type %s, but filter %s has"
                  + " keys of the type %s.")
              .formatted(
                  annotated,
                  expression,
                  value.getClass().getTypeName(),
                  annotated.annotation().filter(),
                  type.getTypeName()));
    }
    return type.cast(converted);
  }

  /** Returns null if the value is no key. No two values that differ become one key. */
  private @Nullable Object converted(Object value) {
    if (type.isInstance(value)) {
      return value;
    }
    if (type == String.class) {
      return text(value);
    }
    if (type == Long.class
        && (value instanceof Integer || value instanceof Short || value instanceof Byte)) {
      return ((Number) value).longValue();
    }
    return null;
  }

  private static @Nullable String text(Object value) {
    if (value instanceof Enum<?> constant) {
      return constant.name();
    }
    return value instanceof CharSequence
            || value instanceof Number
            || value instanceof UUID
            || value instanceof Boolean
            || value instanceof Character
        ? value.toString()
        : null;
  }
}
