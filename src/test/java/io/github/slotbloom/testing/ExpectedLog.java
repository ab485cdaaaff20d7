package io.github.slotbloom.testing;

import java.lang.annotation.ElementType;
import java.lang.annotation.Repeatable;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Says that a test provokes a warning or an error in the log. The test fails without it. A test
 * also fails if it logs a warning or an error that neither this annotation nor {@link PossibleLog}
 * names.
 *
 * <p>The value is a regular expression. It is looked for in a text such as {@code WARN Folder -
 * folding filter words failed and will be tried again: ...}.
 */
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
@Repeatable(ExpectedLog.All.class)
public @interface ExpectedLog {

  /** The value of {@link #times} for one or more. */
  int AT_LEAST_ONCE = -1;

  String value();

  /** Returns how often the event is logged. */
  int times() default AT_LEAST_ONCE;

  /** Returns all expected events of the test. */
  @Target(ElementType.METHOD)
  @Retention(RetentionPolicy.RUNTIME)
  @interface All {
    ExpectedLog[] value();
  }
}
