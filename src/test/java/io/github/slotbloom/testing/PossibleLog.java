package io.github.slotbloom.testing;

import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Repeatable;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Says that a test, or each test of a class, may or may not log a given warning or error. This can
 * depend on timing, on the database or on the test's parameters. Use {@link ExpectedLog} for an
 * event that is certain; it also describes the value.
 */
@Target({ElementType.METHOD, ElementType.TYPE})
@Retention(RetentionPolicy.RUNTIME)
@Inherited
@Repeatable(PossibleLog.All.class)
public @interface PossibleLog {

  String value();

  /** Returns all possible events of the test. */
  @Target({ElementType.METHOD, ElementType.TYPE})
  @Retention(RetentionPolicy.RUNTIME)
  @Inherited
  @interface All {
    PossibleLog[] value();
  }
}
